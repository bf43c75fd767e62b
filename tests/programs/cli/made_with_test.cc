// The options that outputs were made with, which runs that resume must have.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "support/clips.h"
#include "support/record.h"

namespace skinmask {
namespace {

using testing::Encode;
using testing::Gradient;
using testing::Lines;
using testing::Outcome;
using testing::RecordTest;

// A run that resumes takes no masks of other options for its own, with a record or without.
TEST_F(RecordTest, OutputsOfOtherOptionsAreRefused) {
  Put("in/b.jpg", Encode(".jpg", Gradient(40, 48)));
  const std::string off = "detect in -o out --adapt off ";
  ASSERT_EQ(Run(off + "--json r.json").status, 0);
  std::filesystem::remove(Path("out/b.png"));
  const auto refused = [&](const std::string& command, const std::string& line) {
    const Outcome run = Run(command);
    EXPECT_EQ(run.status, 1) << command;
    EXPECT_NE(run.err.find(line), std::string::npos) << run.err;
    EXPECT_FALSE(std::filesystem::exists(Path("out/b.png"))) << command;
  };
  refused(off + "--resume --abstain 0.2,0.8 --json r.json",
          "skinmask: out: holds outputs that were made with another --abstain, as ");
  refused(off + "--resume --abstain 0.2,0.8",
          "skinmask: out: holds outputs that were made with another --abstain, as "
          ".skinmask-options.jsonl there tells (");
  refused("detect in -o out --resume", "made with another --adapt, as .skinmask");
  refused(off + "--resume --threshold 0.9", "made with another --threshold, as .skinmask");
  ASSERT_EQ(Run("train --samples " + (testing::SamplesFolder() / "labelled-pixels.csv").string() +
                " -o m.json")
                .status,
            0);
  refused(off + "--resume --model m.json", "made with another --model, as .skinmask");
  // An option of one kind of output is compared for that kind alone.
  ASSERT_EQ(Run("detect in -o kinds --output mask,cutout --feather 3").status, 0);
  EXPECT_EQ(Run("detect in -o kinds --output mask --resume").status, 0);
  EXPECT_EQ(Run("detect in -o kinds --output cutout --resume").status, 1);
  EXPECT_EQ(Run("detect in -o kinds --output mask,cutout --feather 3 --resume").status, 0);
  for (const std::string other :
       {"classes --class-costs 0,1:3,0 --adapt off", "overlay --format jpeg",
        "overlay --draw faces", "probability --depth 16"}) {
    ASSERT_EQ(Run("detect in -o of_one --force --output mask," + other).status, 0) << other;
    const std::string adapt = other.ends_with("off") ? " --adapt off" : "";
    const Outcome again = Run("detect in -o of_one --resume --output mask" + adapt);
    EXPECT_EQ(again.status, 0) << other << again.err;
  }
  ASSERT_EQ(Run("detect in -o unsure --output mask,overlay --abstain 0.2,0.8").status, 0);
  EXPECT_EQ(Run("detect in -o unsure --output overlay --resume").status, 0);
  EXPECT_EQ(Run("detect in -o unsure --output mask --resume").status, 1);
  // Another kind of output is another file; a run that can write nothing says nothing of those.
  EXPECT_EQ(Run("detect in -o out --resume --output probability").status, 0);
  EXPECT_EQ(Run("detect in/a.png -o out --scale 1/2").status, 1);
  EXPECT_EQ(Run(off + "--resume").status, 0);
  EXPECT_EQ(Run("detect in -o out --resume --output probability").status, 0);
  // It is no input, and nothing that is passed over.
  EXPECT_TRUE(std::filesystem::exists(Path("out/.skinmask-options.jsonl")));
  EXPECT_TRUE(Run("detect out -o out2 --adapt off").summary.starts_with("0 failed, 0 skipped, 6"));
}

// Of options the values are compared, not their letters.
TEST_F(RecordTest, TheSameValuesResume) {
  const std::string detect = "detect in/a.png -o out --json r.json ";
  ASSERT_EQ(Run(detect + "--threshold 0.5 --abstain 0.2,0.8").status, 0);
  for (const std::string same :
       {"--threshold .5 --abstain .2,0.80", "--threshold 5e-1 --abstain 0.2,0.8 --adapt auto",
        "--threshold 0.5 --abstain 0.2,0.8 --refine guided",
        "--threshold 0.5 --abstain 0.2,0.8 --scale 1 --depth 8 --format png"})
    for (const std::string& from : {detect, std::string("detect in/a.png -o out ")}) {
      const Outcome run = Run(from + "--resume " + same);
      EXPECT_EQ(run.status, 0) << same << run.err;
    }
  EXPECT_EQ(Run(detect + "--resume --threshold 0.5 --abstain 0.2,0.8 --erode 2").status, 0);
  // Here it says more than nothing.
  const std::string seeds = "detect in/a.png -o seeds --seed-rect 1,1,9,9 ";
  ASSERT_EQ(Run(seeds).status, 0);
  EXPECT_NE(Run(seeds + "--resume --adapt auto").err.find("another --adapt"), std::string::npos);
}

// That of --outlier depends on the outputs.
TEST_F(RecordTest, ADefaultThatIsGivenResumes) {
  const std::string maps = "detect in/a.png -o maps --output uncertainty ";
  for (const std::string& detect : {maps + "--json m.json ", maps}) {
    EXPECT_EQ(Run(detect + "--resume").status, 0);
    EXPECT_EQ(Run(detect + "--resume --outlier .999").status, 0);
    EXPECT_NE(Run(detect + "--resume --outlier 0.99").err.find("another --outlier"),
              std::string::npos);
  }
  const std::string jpeg = "detect in/a.png -o jpeg --output overlay --format jpeg ";
  ASSERT_EQ(Run(jpeg).status, 0);
  for (const std::string same : {"90", "090"})
    EXPECT_EQ(Run(jpeg + "--resume --quality " + same).status, 0) << same;
  EXPECT_NE(Run(jpeg + "--resume --quality 80").err.find("another --quality"), std::string::npos);
}

// The table that such a run completes would have shares of skin of two thresholds.
TEST_F(RecordTest, TheThresholdIsComparedForMapsToo) {
  const std::string detect = "detect in/a.png -o out --output heatmap --csv r.csv ";
  ASSERT_EQ(Run(detect).status, 0);
  EXPECT_NE(Run(detect + "--resume --threshold 0.3").err.find("another --threshold"),
            std::string::npos);
}

// What draws one kind alone is compared for that kind, in the folder and in the record.
TEST_F(RecordTest, OptionsOfOneKindAreFreeForOthers) {
  ASSERT_EQ(Run("detect in/a.png -o out --json r.json").status, 0);
  const std::string more = "detect in/a.png -o out --resume --json r.json --output mask,";
  EXPECT_EQ(Run(more + "overlay --format jpeg --quality 80 --draw ellipse").status, 0);
  EXPECT_EQ(Run(more + "cutout --feather 4").status, 0);
  EXPECT_EQ(Run(more + "uncertainty --outlier 0.9").status, 0);
  EXPECT_EQ(Record()["images"][0]["outputs"].size(), 4u);
  EXPECT_EQ(Run("detect in/a.png -o out --resume --output mask").status, 0);
  EXPECT_EQ(Run(more + "overlay --format jpeg --quality 70").status, 1);
  EXPECT_EQ(Run(more + "overlay --adapt off").status, 1);
}

// A run that makes all outputs of its list anew leaves a folder of its own options.
TEST_F(RecordTest, WhatIsReplacedCountsNoLonger) {
  Put("in/b.jpg", Encode(".jpg", Gradient(40, 48)));
  const std::string detect = "detect in -o out --adapt off ", resume = detect + "--resume ";
  ASSERT_EQ(Run(detect + "--output mask,overlay").status, 0);
  ASSERT_EQ(Run("detect in/a.png -o out --adapt off --force --threshold 0.1").status, 0);
  const auto refused = [&](const std::string& options) {
    const Outcome run = Run(resume + options);
    EXPECT_NE(run.err.find("another --threshold, as .skinmask-options.jsonl there tells"),
              std::string::npos)
        << run.err;
    return run.status == 1;
  };
  EXPECT_TRUE(refused("--threshold 0.1"));  // it was of one of them
  EXPECT_EQ(Run(detect + "--force --threshold 0.2 --shard 1/2").status, 0);
  EXPECT_TRUE(refused("--threshold 0.2"));
  ASSERT_EQ(Run("detect in/a.png -o out --adapt off --force --threshold 0.2").status, 0);
  ASSERT_EQ(Run(detect + "--force --threshold 0.2").status, 0);
  EXPECT_EQ(Run(resume + "--threshold 0.2").status, 0);
  EXPECT_TRUE(refused(""));
  EXPECT_EQ(Run(resume + "--output overlay").status, 0);
  EXPECT_TRUE(refused("--output overlay --threshold 0.2"));
}

// An image that fails has no output of other options, if it never had one.
TEST_F(RecordTest, WhatFailsKeepsNoOptions) {
  const std::string detect = "detect in -o out --adapt off ";
  ASSERT_EQ(Run(detect + "--threshold 0.3").status, 1);
  ASSERT_EQ(Run(detect + "--threshold 0.2 --force").status, 1);
  Outcome run = Run(detect + "--threshold 0.2 --resume");
  EXPECT_EQ(run.err.find("made with another"), std::string::npos) << run.err;
  Put("out/b.png", ReadFile(Path("out/a.png")));  // now it has one
  ASSERT_EQ(Run(detect + "--threshold 0.4 --force").status, 1);
  run = Run(detect + "--threshold 0.4 --resume");
  EXPECT_NE(run.err.find("made with another --threshold"), std::string::npos) << run.err;
}

// Frames of a video that fails may be those of other options.
TEST_F(RecordTest, FramesOfAVideoThatFailsKeepTheirOptions) {
  testing::MakeClips(folder_, {{"in/v.mkv", "-c:v ffv1", "64x48"}}, 3);
  std::filesystem::remove(Path("in/b.jpg"));
  const std::string detect = "detect in -o out --adapt off --frames ";
  const std::string whole = ReadFile(Path("in/v.mkv"));
  ASSERT_EQ(Run(detect + "--threshold 0.3").status, 0);
  Put("in/v.mkv", "damaged");
  ASSERT_EQ(Run(detect + "--threshold 0.2 --force").status, 1);
  Put("in/v.mkv", whole);
  EXPECT_EQ(Run(detect + "--threshold 0.2 --resume").status, 1);
}

TEST_F(RecordTest, ALineThatIsCutOffSpoilsNoOther) {
  std::filesystem::create_directories(Path("out"));
  std::ofstream(Path("out/.skinmask-options.jsonl")) << R"({"outputs":["mask"],"made_w)";
  ASSERT_EQ(Run("detect in/a.png -o out --adapt off --threshold 0.6").status, 0);
  EXPECT_EQ(Run("detect in/a.png -o out --adapt off --threshold 0.6 --resume").status, 0);
  EXPECT_EQ(Run("detect in/a.png -o out --adapt off --threshold 0.1 --resume").status, 1);
}

// Many runs may share a folder; what is no whole line there says nothing.
TEST_F(RecordTest, RunsShareTheFolderOfTheirOutputs) {
  Put("in/b.jpg", Encode(".jpg", Gradient(40, 48)));
  Put("out/.skinmask-options.jsonl", "{\"outputs\":[\"mask\"],\"made_wi\n7\n{}\n");
  for (int i = 1; i <= 3; ++i)
    EXPECT_EQ(Run(fmt::format("detect in -o out --resume --shard {}/3", i)).status, 0);
  const std::string text = ReadFile(Path("out/.skinmask-options.jsonl"));
  EXPECT_EQ(Lines(text), 4) << text;
}

// Two runs that resume and begin at once, of other options: one of them alone makes outputs.
TEST_F(RecordTest, RunsThatBeginAtOnceDoNotMixOptions) {
  const std::string photo = Encode(".png", Gradient(600, 400));
  for (int i = 0; i < 40; ++i) Put("many/" + std::to_string(100 + i) + ".png", photo);
  const std::string detect = "detect many --adapt off --resume -q ";
  ASSERT_EQ(Run(detect + "-o low --threshold 0.01").status, 0);
  ASSERT_EQ(Run(detect + "-o high --threshold 0.99").status, 0);
  const std::string both = "\"" SKINMASK_PROGRAM "\" " + detect + "-o both --threshold ";
  const Outcome run = Run("version; " + both + "0.01 & low=$!; " + both +
                          "0.99 & wait $!; a=$?; wait $low; exit $((10 * a + $?))");
  EXPECT_TRUE(run.status == 1 || run.status == 10) << run.status;  // one of them is refused
  const auto same = [&](const std::string& one) {
    return std::ranges::all_of(Names(Path("both")), [&](const std::string& name) {
      return ReadFile(Path("both") / name) == ReadFile(Path(one) / name);
    });
  };
  EXPECT_EQ(Names(Path("both")).size(), 40u);
  EXPECT_TRUE(same("low") || same("high"));
}

// The options that a folder was made with can be given again, also where nothing needs them.
TEST_F(RecordTest, OptionsOfTheFolderResume) {
  ASSERT_EQ(Run("detect in/a.png -o out --csv t.csv --erode 3").status, 0);
  EXPECT_EQ(Run("detect in/a.png in/sub -o out --resume").status, 1);
  EXPECT_EQ(Run("detect in/a.png in/sub -o out --resume --erode 3").status, 0);
  testing::MakeClips(folder_, {{"v.mkv", "-c:v ffv1", "64x48"}}, 3);
  ASSERT_EQ(Run("detect v.mkv in/a.png -o cut --from 0 --to 1").status, 0);
  EXPECT_EQ(Run("detect in/a.png in/sub/c.png -o cut --from 0 --to 1").status, 2);
  EXPECT_EQ(Run("detect in/a.png in/sub/c.png -o cut --from 0 --to 1 --resume").status, 0);
}

// Nothing is listed first, of which there may be millions.
TEST_F(RecordTest, OtherOptionsAreRefusedBeforeTheInputsAreListed) {
  ASSERT_EQ(Run("detect in/a.png -o out").status, 0);
  std::filesystem::create_directory(Path("empty"));
  const Outcome run = Run("detect empty in -o out --resume --threshold 0.9");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(Lines(run.err), 1) << run.err;
  EXPECT_NE(run.err.find("made with another --threshold"), std::string::npos) << run.err;
}

// One line, and not one for each image.
TEST_F(RecordTest, WhatCannotBeLeftIsToldAtTheStart) {
  std::filesystem::create_directories(Path("out/.skinmask-options.jsonl"));
  const Outcome run = Run("detect in/a.png in/sub -o out");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.err,
            "skinmask: out/.skinmask-options.jsonl: cannot be written: Is a directory (it tells "
            "runs that resume what the outputs were made with)\n");
  EXPECT_EQ(Names(Path("out")), std::vector<std::string>());
}

// A folder without outputs is free for other options.
TEST_F(RecordTest, AVideoWithoutAnOutputLeavesNoOptions) {
  SKIP_WITHOUT_FFMPEG();
  const std::string script =
      "exec 3<>v.y4m; '" SKINMASK_PROGRAM
      "' detect v.y4m -o out 3<&- & pid=$!; printf "
      "'YUV4MPEG2 W64 H48 F25:1 Cmono\\n' >&3; until ls out/.skinmask-*.part; do printf 'FRAME\\n' "
      ">&3; head -c 3072 /dev/zero >&3; sleep 0.05; done; kill -INT $pid; wait $pid";
  Put("run.sh", script);
  const int raw = std::system(
      ("cd '" + folder_.string() + "' && mkfifo v.y4m && bash run.sh >log 2>&1").c_str());
  EXPECT_EQ(WEXITSTATUS(raw), 130) << ReadFile(Path("log"));
  EXPECT_FALSE(std::filesystem::exists(Path("out/.skinmask-options.jsonl")));
}

}  // namespace
}  // namespace skinmask
