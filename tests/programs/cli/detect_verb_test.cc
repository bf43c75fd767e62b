#include <sys/resource.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <opencv2/imgproc.hpp>

#include "skinmask/detect/detect_image.h"
#include "skinmask/media/image.h"
#include "skinmask/model/model.h"
#include "skinmask/model/posterior.h"
#include "skinmask/pipeline/run.h"
#include "support/pictures.h"
#include "support/program.h"

namespace skinmask {
namespace {

using testing::Encode;
using testing::Gradient;
using testing::Lines;
using testing::Outcome;
using Strings = std::vector<std::string>;

class DetectTest : public testing::ProgramTest {
 protected:
  // What the library says the mask of a picture is, a file being out of the way.
  static cv::Mat Expected(const cv::Mat& bgr) { return DetectMask(Posterior(DefaultModel()), bgr); }
  cv::Mat Read(const std::string& name) const {
    return cv::imread(Path(name).string(), cv::IMREAD_UNCHANGED);
  }
  void ExpectMask(const std::string& name, const cv::Mat& bgr) const {
    const cv::Mat mask = Read(name);
    ASSERT_EQ(mask.type(), CV_8UC1) << name;
    ASSERT_EQ(mask.size(), bgr.size()) << name;
    EXPECT_EQ(cv::norm(mask, Expected(bgr), cv::NORM_INF), 0) << name;
  }
};

TEST_F(DetectTest, WritesEveryOutputOfTheSamples) {
  const std::string photos = (testing::SamplesFolder() / "photos").string();
  const Outcome run =
      Run("detect --adapt off " + photos +
          " -o out --output mask --output probability,overlay --output cutout --feather 0");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(Lines(run.out), 2);
  EXPECT_EQ(Names(Path("out")), (Strings{"astronaut.cutout.png", "astronaut.overlay.png",
                                         "astronaut.png", "astronaut.probability.png",
                                         "grace_hopper.cutout.png", "grace_hopper.overlay.png",
                                         "grace_hopper.png", "grace_hopper.probability.png"}));
  const cv::Mat bgr = ReadImage(photos + "/grace_hopper.jpg");
  ExpectMask("out/grace_hopper.png", bgr);
  // The probability map and the mask tell the same story: the byte above the threshold's is skin.
  const cv::Mat mask = Read("out/grace_hopper.png"), p = Read("out/grace_hopper.probability.png");
  const double cut = 255 * DefaultModel().decision.threshold;
  EXPECT_EQ(cv::countNonZero((p > std::ceil(cut + 0.5)) & ~mask), 0);
  EXPECT_EQ(cv::countNonZero((p < std::floor(cut - 0.5)) & mask), 0);
  std::vector<cv::Mat> bgra;
  cv::split(Read("out/grace_hopper.cutout.png"), bgra);
  ASSERT_EQ(bgra.size(), 4u);
  EXPECT_EQ(cv::norm(bgra[3], mask, cv::NORM_INF), 0);
  cv::Mat color;
  cv::merge(std::vector<cv::Mat>(bgra.begin(), bgra.begin() + 3), color);
  EXPECT_EQ(cv::norm(color, bgr, cv::NORM_INF), 0);
  cv::Mat kept;
  cv::subtract(Read("out/grace_hopper.overlay.png"), bgr, kept, mask);
  EXPECT_EQ(cv::norm(kept, cv::NORM_INF), 0);  // skin stays as it is
}

// BGR unless YUV is asked for, for images.
TEST_F(DetectTest, JpegsAreJudgedInBgrUnlessYuvIsAskedFor) {
  const std::string photo = (testing::SamplesFolder() / "photos/grace_hopper.jpg").string();
  for (const std::string pixels : {"", " --pixels bgr", " --pixels yuv"})
    EXPECT_EQ(Run("detect --adapt off " + photo + " -o 'out" + pixels + "'" + pixels).status, 0);
  const std::string mask = ReadFile(Path("out/grace_hopper.png"));
  EXPECT_EQ(mask, ReadFile(Path("out --pixels bgr/grace_hopper.png")));
  const cv::Mat bgr = Read("out/grace_hopper.png"), yuv = Read("out --pixels yuv/grace_hopper.png");
  EXPECT_EQ(bgr.size(), yuv.size());
  const int differ = cv::countNonZero(bgr != yuv);
  EXPECT_GT(differ, 0);
  EXPECT_LT(differ, static_cast<int>(bgr.total() / 50));
}

TEST_F(DetectTest, AFolderOfOddFilesLosesNothing) {
  const cv::Mat picture = Gradient(50, 40);
  const std::string jpeg = Encode(".jpg", picture, {cv::IMWRITE_JPEG_QUALITY, 95});
  cv::Mat grey, bgra, sixteen;
  cv::cvtColor(picture, grey, cv::COLOR_BGR2GRAY);
  cv::cvtColor(picture, bgra, cv::COLOR_BGR2BGRA);
  picture.convertTo(sixteen, CV_16U, 257);
  Put("in/truncated.jpg", jpeg.substr(0, jpeg.size() / 2));
  Put("in/empty.jpg", "");
  Put("in/text.jpg", "not a picture at all\n");
  Put("in/sixteen.png", Encode(".png", sixteen));
  Put("in/grey.png", Encode(".png", grey));
  Put("in/rgba.png", Encode(".png", bgra));
  Put("in/turned.jpg", testing::WithOrientation(jpeg, 6));
  Put("in/sub/手のひら é.png", Encode(".png", picture));
  Put("in/a.jpg", jpeg);
  Put("in/a.png", Encode(".png", picture));
  const Outcome run = Run("detect --adapt off in -o out");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(Lines(run.err), 3) << run.err;
  for (const char* bad : {"in/truncated.jpg: is a damaged JPEG", "in/empty.jpg: is empty",
                          "in/text.jpg: is no image"})
    EXPECT_NE(run.err.find(bad), std::string::npos) << run.err;
  EXPECT_EQ(Names(Path("out")), (Strings{"a.jpg.png", "a.png.png", "grey.png", "rgba.png",
                                         "sixteen.png", "sub/手のひら é.png", "turned.png"}));
  ExpectMask("out/sixteen.png", picture);
  ExpectMask("out/rgba.png", picture);
  ExpectMask("out/a.png.png", picture);
  ExpectMask("out/sub/手のひら é.png", picture);
  ExpectMask("out/a.jpg.png", DecodeImage(jpeg, "x"));
  cv::Mat upright;
  cv::rotate(DecodeImage(jpeg, "x"), upright, cv::ROTATE_90_CLOCKWISE);
  ExpectMask("out/turned.png", upright);
}

TEST_F(DetectTest, NothingIsReplacedWithoutForce) {
  Put("a.png", Encode(".png", Gradient(20, 10)));
  Put("b.png", Encode(".png", Gradient(21, 10)));
  Put("out/a.png", "mine");
  const Outcome refused = Run("detect --adapt off a.png b.png -o out");
  EXPECT_EQ(refused.status, 1);
  EXPECT_EQ(Lines(refused.err), 1);
  EXPECT_NE(refused.err.find("out/a.png: exists already (--force replaces it)"), std::string::npos);
  EXPECT_EQ(ReadFile(Path("out/a.png")), "mine");
  ExpectMask("out/b.png", Gradient(21, 10));
  const Outcome resumed = Run("detect --adapt off a.png b.png -o out --resume");
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(ReadFile(Path("out/a.png")), "mine");
  EXPECT_EQ(Run("detect --adapt off a.png b.png -o out --force").status, 0);
  ExpectMask("out/a.png", Gradient(20, 10));
}

// A second run into the same folder says so once, does what is left, and names the rest with -v.
TEST_F(DetectTest, WhatExistsIsCountedInOneLine) {
  for (const char* name : {"in/a.png", "in/b.png", "in/c.png"})
    Put(name, Encode(".png", Gradient(20, 10)));
  ASSERT_EQ(Run("detect --adapt off in/a.png in/b.png in/c.png -o out").status, 0);
  std::filesystem::remove(Path("out/c.png"));
  const auto again = [&](const std::string& flags) {
    Put("out/a.png", "mine");
    std::filesystem::remove(Path("out/c.png"));
    std::filesystem::remove(Path("r.json"));
    return Run("detect --adapt off in -o out --json r.json " + flags);
  };
  const Outcome run = again("");
  EXPECT_EQ(run.status, 1);
  const std::string line =
      "skinmask: out: has the outputs of 2 of 3 inputs already (--resume does the rest, "
      "--force replaces them)\n";
  EXPECT_EQ(run.err, line);
  EXPECT_TRUE(run.summary.starts_with("2 failed, 0 skipped, 1 of 3 done")) << run.summary;
  EXPECT_EQ(ReadFile(Path("out/a.png")), "mine");
  ExpectMask("out/c.png", Gradient(20, 10));
  const nlohmann::json failed = nlohmann::json::parse(ReadFile(Path("r.json")))["failed"];
  ASSERT_EQ(failed.size(), 2u);
  EXPECT_EQ(failed[0]["input"], "in/a.png");
  EXPECT_EQ(failed[1]["reason"], "out/b.png: exists already (--force replaces it)");
  const std::string all = again("-v").err;
  for (const std::string& part :
       {std::string("skinmask: out/a.png: exists already (--force replaces it)\n"),
        std::string("skinmask: out/b.png: exists already (--force replaces it)\n"), line})
    EXPECT_NE(all.find(part), std::string::npos) << all;
  EXPECT_EQ(again("--max-failures 2").status, 0);
}

// Paths differ there, and folders are one.
TEST_F(DetectTest, InputsAreNotWrittenOverThroughAnotherMount) {
  const std::string png = Encode(".png", Gradient(20, 10));
  for (const char* name : {"a/x.png", "a/sub/y.png"}) Put(name, png);
  std::filesystem::create_directories(Path("b"));
  std::filesystem::create_directories(Path("c/sub"));
  const auto within = [&](const std::string& mounts, const std::string& command) {
    const std::string script = "mount --bind " + mounts + " && " + command;
    return std::system(
        ("cd '" + folder_.string() + "' && unshare -rm sh -c \"" + script + "\" >>out.txt 2>&1")
            .c_str());
  };
  if (within("a b", "true") != 0) GTEST_SKIP() << "needs user namespaces";
  const std::string detect = "'" SKINMASK_PROGRAM "' detect a --adapt off --force -o ";
  EXPECT_NE(within("a b", detect + "b"), 0);
  EXPECT_NE(within("a/sub c/sub", detect + "c"), 0);
  EXPECT_NE(within("a b", detect + "c --json b/x.png --csv b/sub/y.png"), 0);
  for (const char* name : {"a/x.png", "a/sub/y.png"})
    EXPECT_TRUE(ReadFile(Path(name)) == png) << name << "\n" << ReadFile(Path("out.txt"));
  ExpectMask("c/x.png", Gradient(20, 10));
}

TEST_F(DetectTest, InputsAreNeverWrittenOver) {
  const std::string png = Encode(".png", Gradient(20, 10));
  Put("a.png", png);
  const Outcome folder = Run("detect --adapt off . -o . --force");
  EXPECT_EQ(folder.status, 1);
  EXPECT_NE(folder.err.find("is the input folder too"), std::string::npos) << folder.err;
  const Outcome file = Run("detect --adapt off a.png -o . --force");
  EXPECT_EQ(file.status, 1);
  EXPECT_NE(file.err.find("is an input and is not written over"), std::string::npos) << file.err;
  EXPECT_EQ(ReadFile(Path("a.png")), png);
}

TEST_F(DetectTest, OutputsInsideTheInputAreNoInputs) {
  Put("in/a.png", Encode(".png", Gradient(20, 10)));
  EXPECT_EQ(Run("detect --adapt off in -o in/masks").status, 0);
  EXPECT_EQ(Run("detect --adapt off in -o in/masks --force").status, 0);
  EXPECT_EQ(Names(Path("in")), (Strings{"a.png", "masks/a.png"}));
}

TEST_F(DetectTest, ShardsPartitionTheInputs) {
  for (int i = 0; i < 7; ++i)
    Put("in/" + std::to_string(i) + ".png", Encode(".png", Gradient(20 + i, 10)));
  for (int shard = 1; shard <= 3; ++shard)
    EXPECT_EQ(Run("detect --adapt off in -o out --shard " + std::to_string(shard) + "/3").status,
              0);
  EXPECT_EQ(Names(Path("out")).size(), 7u);
  EXPECT_EQ(Run("detect --adapt off in -o whole").status, 0);
  for (const std::string& name : Names(Path("whole")))
    EXPECT_EQ(ReadFile(Path("out/" + name)), ReadFile(Path("whole/" + name)));
  for (const char* bad : {"0/3", "4/3", "1", "a/b", "1/0", "1/2x"})
    EXPECT_EQ(Run(std::string("detect --adapt off in -o out --shard ") + bad).status, 2) << bad;
}

// What the list of inputs refuses counts once, and does not fail the other shards.
TEST_F(DetectTest, OneShardReportsAnInputThatIsRefused) {
  for (const char* const name : {"a/x.png", "b/x.png", "b/y.png"})
    Put(name, Encode(".png", Gradient(20, 10)));
  Put("c.txt.gz", "\x1f\x8b\x08");  // is compressed
  int failed = 0, done = 0;
  for (int shard = 1; shard <= 4; ++shard) {
    const Outcome run = Run("detect --adapt off a/x.png b/x.png b/y.png c.txt.gz -o out --shard " +
                            std::to_string(shard) + "/4");
    int of_failed = 0, of_skipped = 0, of_done = 0, of_planned = 0;
    ASSERT_EQ(std::sscanf(run.summary.c_str(), "%d failed, %d skipped, %d of %d", &of_failed,
                          &of_skipped, &of_done, &of_planned),
              4)
        << run.summary;
    EXPECT_EQ(run.status, of_failed > 0) << run.err;
    EXPECT_EQ(of_failed + of_done, of_planned) << run.summary;
    failed += of_failed;
    done += of_done;
  }
  EXPECT_EQ(failed, 2);  // b/x.png has the name of a/x.png
  EXPECT_EQ(done, 2);
}

TEST_F(DetectTest, ThreadsDoNotChangeResults) {
  for (int i = 0; i < 9; ++i)
    Put("in/" + std::to_string(i) + ".jpg", Encode(".jpg", Gradient(200 + 31 * i, 150)));
  const Outcome one = Run("detect --adapt off in -o out --threads 1"),
                two = Run("detect --adapt off in -o out2 --threads 2");
  EXPECT_EQ(one.status + two.status, 0);
  EXPECT_EQ(Lines(one.out), 9);
  for (const std::string& name : Names(Path("out")))
    EXPECT_EQ(ReadFile(Path("out/" + name)), ReadFile(Path("out2/" + name)));
}

TEST_F(DetectTest, ThresholdAndPriorMoveTheMask) {
  Put("a.png", Encode(".png", ReadImage(testing::SamplesFolder() / "photos/grace_hopper.jpg")));
  const auto skin = [&](const std::string& options) {
    EXPECT_EQ(Run("detect --adapt off a.png -o out --force " + options).status, 0);
    return cv::countNonZero(Read("out/a.png"));
  };
  EXPECT_EQ(skin("--threshold 1"), 0);
  EXPECT_EQ(skin("--threshold 0"), 512 * 600);
  EXPECT_GT(skin("--threshold 0.05"), skin("--threshold 0.9"));
  EXPECT_GT(skin("--prior 0.9"), skin("--prior 0.01"));
  for (const char* bad : {"--threshold 2", "--threshold x", "--threshold nan", "--prior 0",
                          "--prior 1", "--output painting"})
    EXPECT_EQ(Run(std::string("detect --adapt off a.png -o out ") + bad).status, 2) << bad;
}

TEST_F(DetectTest, AnOutputIsNamedOnce) {
  Put("a.png", Encode(".png", Gradient(50, 40)));
  for (const char* outputs : {"mask,overlay,mask", "mask --output overlay,mask"}) {
    const Outcome run = Run(std::string("detect --adapt off a.png -o out --output ") + outputs);
    EXPECT_EQ(run.status, 2) << outputs;
    EXPECT_EQ(Lines(run.err), 1) << run.err;
    EXPECT_NE(run.err.find("--output has 'mask' more than once"), std::string::npos) << run.err;
  }
}

TEST_F(DetectTest, EveryOutputOfCollidingNamesIsWritten) {
  Put("in/a.jpg", Encode(".jpg", Gradient(50, 40)));
  Put("in/a.png", Encode(".png", Gradient(50, 40)));
  std::filesystem::create_symlink("loop.png", Path("in/loop.png"));
  const Outcome run = Run("detect --adapt off in -o out --output mask,probability,overlay,cutout");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(Lines(run.err), 1) << run.err;  // the link that leads nowhere
  EXPECT_EQ(Names(Path("out")).size(), 8u);
}

TEST_F(DetectTest, ScaleMakesSmallerMasks) {
  Put("a.jpg", Encode(".jpg", Gradient(61, 47)));
  Put("b.png", Encode(".png", Gradient(61, 47)));
  EXPECT_EQ(Run("detect --adapt off a.jpg b.png -o out --scale 1/4").status, 0);
  EXPECT_EQ(Read("out/a.png").size(), cv::Size(16, 12));
  EXPECT_EQ(Read("out/b.png").size(), cv::Size(16, 12));
  EXPECT_EQ(Run("detect --adapt off a.jpg -o out --scale 1/3").status, 2);
}

TEST_F(DetectTest, JsonListsWhatWasDone) {
  Put("a.png", Encode(".png", Gradient(20, 10)));
  const Outcome run =
      Run("detect --adapt off --json a.png -o out");  // the photograph is no place to write to
  EXPECT_EQ(run.status, 0) << run.err;
  for (const char* part :
       {"\"input\": \"a.png\"", "\"width\": 20", "\"out/a.png\"", "\"skin_fraction\""})
    EXPECT_NE(run.out.find(part), std::string::npos) << run.out;
  EXPECT_EQ(Run("detect --adapt off a.png -o out --force --json list.json").out.find("skin ->") ==
                std::string::npos,
            false);
  const auto results = [](const std::string& text) {
    return text.substr(0, text.find("\"options\""));
  };
  EXPECT_EQ(results(ReadFile(Path("list.json"))), results(run.out));
}

TEST_F(DetectTest, MemoryDoesNotGrowWithTheFolder) {
  const std::string jpeg =
      Encode(".jpg", ReadImage(testing::SamplesFolder() / "photos/astronaut.png"));
  Put("in/0.jpg", jpeg);
  // The address sanitizer, where the build has it, keeps up to 256 MB of what was freed.
  setenv("ASAN_OPTIONS", "quarantine_size_mb=1", 1);
  // The most that any program run so far has used, in KiB.
  const auto peak_after = [&](int images) {
    for (int i = 1; i < images; ++i)
      if (const auto link = Path("in/" + std::to_string(i) + ".jpg");
          !std::filesystem::exists(link))
        std::filesystem::create_hard_link(Path("in/0.jpg"), link);
    EXPECT_EQ(Run("detect --adapt off in -o out --force -q").status, 0);
    rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return static_cast<double>(usage.ru_maxrss);
  };
  const double of_fifty = peak_after(50);
  EXPECT_LE(peak_after(300), 1.1 * of_fifty);
}

TEST_F(DetectTest, AnInterruptLeavesWholeFilesOnly) {
  constexpr int kImages = 2000;  // many times what is done before the interrupt
  Put("in/0.png", Encode(".png", Gradient(900, 700)));
  for (int i = 1; i < kImages; ++i)
    std::filesystem::create_hard_link(Path("in/0.png"), Path("in/" + std::to_string(i) + ".png"));
  const Outcome run =
      Run("detect --adapt off in -o out --threads 1 & pid=$!; "
          "while kill -0 $pid && [ ! -e '" +
          Path("out/0.png").string() +
          "' ]; do sleep 0.01; done; "
          "kill -INT $pid; wait $pid");
  EXPECT_EQ(run.status, 130);
  const Strings names = Names(Path("out"));
  EXPECT_LT(names.size(), std::size_t{kImages});
  for (const std::string& name : names) ExpectMask("out/" + name, Gradient(900, 700));
}

}  // namespace
}  // namespace skinmask
