// Tar archives through `detect`. GNU tar makes them and takes them apart.
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/json.h"
#include "support/pictures.h"
#include "support/program.h"

namespace skinmask::cli {
namespace {

using testing::Encode;
using testing::Gradient;
using testing::Outcome;
namespace fs = std::filesystem;

class ArchivesTest : public testing::ProgramTest {
 protected:
  // Pictures that differ, one below a folder.
  ArchivesTest() {
    for (int i = 0; i < kImages; ++i)
      Put(std::string("in/") + (i == 2 ? "sub/" : "") + std::to_string(i) + ".png",
          Encode(".png", Gradient(40 + i, 30)));
  }
  void Shell(const std::string& command) const {
    const std::string all = "cd '" + folder_.string() + "' && " + command;
    ASSERT_EQ(std::system(all.c_str()), 0) << command;
  }
  // a.tar of in/, in an order that is not that of the names.
  void Pack(const std::string& name = "a.tar") const {
    Shell("tar -C in -cf " + name +
          " 3.png sub 0.png 1.png 4.png $(cd in && ls -d x* 2>/dev/null)");
  }
  std::string Listing(const std::string& archive) const {
    Shell("tar -tf " + archive + " > .list");
    return ReadFile(Path(".list"));
  }
  static constexpr int kImages = 5;
};

TEST_F(ArchivesTest, MasksAreThoseOfTheFolder) {
  Pack();
  const std::string kinds = " --output mask,probability,overlay --adapt off";
  ASSERT_EQ(Run("detect in -o folder" + kinds).status, 0);
  const Outcome run = Run("detect a.tar -o out" + kinds);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.summary.substr(0, 31), "0 failed, 0 skipped, 5 of 5 don") << run.summary;
  EXPECT_EQ(Names(Path("out")), std::vector<std::string>{"a.tar"});
  EXPECT_EQ(Listing("out/a.tar").substr(0, 66),
            "3.mask.png\n3.probability.png\n3.overlay.png\nsub/2.mask.png\nsub/2.pr");
  Shell("mkdir x && tar -C x -xf out/a.tar");
  for (const std::string& name : Names(Path("folder"))) {
    const bool other = name.find("overlay") != name.npos || name.find("prob") != name.npos;
    const std::string in_archive = other ? name : name.substr(0, name.size() - 3) + "mask.png";
    EXPECT_EQ(ReadFile(Path("x/" + in_archive)), ReadFile(Path("folder/" + name))) << name;
  }
  EXPECT_EQ(Names(Path("x")).size(), Names(Path("folder")).size());
}

TEST_F(ArchivesTest, BytesDependNeitherOnThreadsNorOnPipes) {
  Pack();
  ASSERT_EQ(Run("detect a.tar -o 1 --threads 1").status, 0);
  ASSERT_EQ(Run("detect a.tar -o 4 --threads 4").status, 0);
  ASSERT_EQ(Run("detect a.tar -o b.tar").status, 0);
  const std::string whole = ReadFile(Path("1/a.tar"));
  EXPECT_EQ(ReadFile(Path("4/a.tar")), whole);
  EXPECT_EQ(ReadFile(Path("b.tar")), whole);
  const Outcome piped =
      Run("version >/dev/null; (cat a.tar | '" SKINMASK_PROGRAM "' detect - -o - -q)");
  EXPECT_EQ(piped.status, 0) << piped.err;
  EXPECT_TRUE(piped.out == whole) << piped.out.size();
}

TEST_F(ArchivesTest, ADamagedImageIsListedAndTheOthersAreDone) {
  Put("in/x.png", ReadFile(Path("in/0.png")).substr(0, 60));
  Put("in/xx.jpg", "no image");
  Pack();
  const Outcome run = Run("detect a.tar -o out --json r.json");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(testing::Lines(run.err), 2) << run.err;
  EXPECT_NE(run.err.find("a.tar/x.png: "), std::string::npos) << run.err;
  EXPECT_EQ(testing::Lines(Listing("out/a.tar")), kImages);
  const Json record = Json::parse(ReadFile(Path("r.json")));
  EXPECT_EQ(record["failed"][1]["input"], "a.tar/xx.jpg");
  EXPECT_EQ(record["images"].size(), 5u);
  EXPECT_EQ(record["images"][1]["input"], "a.tar/sub/2.png");
  EXPECT_EQ(record["images"][1]["outputs"][0], "out/a.tar/sub/2.mask.png");
  EXPECT_EQ(Run("detect a.tar -o out2 --max-failures 2").status, 0);
  EXPECT_EQ(Run("detect a.tar -o out3 --max-failures 1").status, 1);
}

// An archive that is lost is no tolerable failure, however many may fail.
TEST_F(ArchivesTest, BrokenOnesBecomeNothing) {
  Pack();
  const std::string whole = ReadFile(Path("a.tar"));
  Put("bad/short.tar", whole.substr(0, whole.size() / 2 / 512 * 512));
  Put("bad/none.tar", "this is no archive");
  Put("bad/empty.tar", std::string(1024, '\0'));
  Put("in/3.jpg", "");
  Shell("tar -C in -cf bad/key.tar 0.png 3.png 3.jpg");
  Shell("tar -P -C in --transform='s,^,../,' -cf bad/out.tar 0.png");
  for (const auto& [name, reason] : {std::pair("short", "ends too early"),
                                     {"none", "is no tar archive"},
                                     {"empty", "holds no image"},
                                     {"key", "holds two images of one key"},
                                     {"out", "leads out of it"}}) {
    const std::string tar = std::string("bad/") + name + ".tar";
    const Outcome run = Run("detect " + tar + " a.tar -o " + name + " --max-failures 100%");
    EXPECT_EQ(run.status, 1) << name;
    EXPECT_EQ(testing::Lines(run.err), 1) << run.err;
    EXPECT_NE(run.err.find(tar + ": "), std::string::npos) << run.err;
    EXPECT_NE(run.err.find(reason), std::string::npos) << run.err;
    EXPECT_EQ(run.summary.find("1 failed, 0 skipped, "), 0u) << run.summary;
    const bool counts = run.summary.find("5 of 6 done") != std::string::npos;
    EXPECT_TRUE(counts || name != std::string("none")) << run.summary;
    EXPECT_EQ(Names(Path(name)), std::vector<std::string>{"a.tar"}) << name;
  }
  EXPECT_EQ(Run("detect bad/key.tar -o chosen --include '*.png'").status, 0);
}

// What comes in a pipe, or has no such name, is known by its bytes.
TEST_F(ArchivesTest, PatternsChooseInArchivesWithoutAName) {
  Pack();
  const std::string program = "'" SKINMASK_PROGRAM "' detect ";
  const std::string options = " --include '[01].png' --adapt off -q";
  Shell(program + "- -o - < a.tar > 1.tar" + options);
  Shell("cat a.tar | " + program + "/dev/stdin -o - > 2.tar" + options);
  Shell("cp a.tar unnamed && " + program + "unnamed -o 3" + options);
  for (const char* archive : {"1.tar", "2.tar", "3/unnamed.tar"})
    EXPECT_EQ(Listing(archive), "0.mask.png\n1.mask.png\n") << archive;
}

TEST_F(ArchivesTest, OtherEntriesArePassedOver) {
  Put("in/x.mask.png", "");
  Put("in/x.json", "{}");
  Shell("ln -s 0.png in/x_link.png && mkfifo in/xfifo in/xf.jpg");
  Pack();
  const Outcome run = Run("detect a.tar -o out --json r.json");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("a.tar/x_link.png: is a link"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("a.tar/xf.jpg: is a pipe or a device"), std::string::npos) << run.err;
  EXPECT_EQ(testing::Lines(Listing("out/a.tar")), kImages);
  EXPECT_EQ(Json::parse(ReadFile(Path("r.json")))["skipped"].size(), 3u);
}

TEST_F(ArchivesTest, ShardsAndResumeCountArchives) {
  for (const char* name : {"s/a.tar", "s/b.tar", "s/c.tar"}) {
    fs::create_directories(Path("s"));
    Pack(name);
  }
  ASSERT_EQ(Run("detect s -o all").status, 0);
  ASSERT_EQ(Run("detect s -o out --shard 2/3 --csv t.csv").status, 0);
  EXPECT_EQ(Names(Path("out")), std::vector<std::string>{"b.tar"});
  const auto before = fs::last_write_time(Path("out/b.tar"));
  const Outcome rest = Run("detect s -o out --resume --csv t.csv");
  EXPECT_EQ(rest.status, 0) << rest.err;
  EXPECT_EQ(rest.err, "");
  EXPECT_EQ(rest.summary.substr(0, 33), "0 failed, 5 skipped, 10 of 15 don") << rest.summary;
  EXPECT_EQ(fs::last_write_time(Path("out/b.tar")), before);
  EXPECT_EQ(testing::Lines(ReadFile(Path("t.csv"))), 1 + 3 * kImages);
  for (const std::string& name : Names(Path("all")))
    EXPECT_EQ(ReadFile(Path("out/" + name)), ReadFile(Path("all/" + name)));
  EXPECT_EQ(Run("detect s/a.tar -o out").status, 1);  // it exists
}

// Image and mask of one key, or masks in archives of their own: what folders of them give.
TEST_F(ArchivesTest, LabelledPairsMayLieInArchives) {
  for (int i = 0; i < kImages; ++i) {
    const std::string name = (i == 2 ? "sub/" : "") + std::to_string(i);
    cv::Mat mask(30, 40 + i, CV_8UC1, cv::Scalar(0));
    mask.colRange(i, 20).setTo(255);
    Put("masks/" + name + ".png", Encode(".png", mask));
    Put("both/x.tar.d/" + name + ".png", ReadFile(Path("in/" + name + ".png")));
    Put("both/x.tar.d/" + name + ".mask.png", Encode(".png", mask));
  }
  Shell("tar -C both/x.tar.d -cf both/x.tar . && rm -r both/x.tar.d && mkdir i m");
  Shell("tar -C in -cf i/x.tar . && tar -C masks -cf m/x.tar .");
  ASSERT_EQ(Run("sample --images in --masks masks -o folder.csv").status, 0);
  int number = 0;
  for (const std::string source :
       {"--images both/x.tar", "--images both", "--images i --masks m",
        "--images i/x.tar --masks m/x.tar", "--images in --masks m/x.tar"}) {
    const std::string table = std::to_string(++number) + ".csv";
    const Outcome run = Run("sample " + source + " -o " + table);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(ReadFile(Path(table)), ReadFile(Path("folder.csv"))) << source;
  }
  const Json folder = Json::parse(Run("evaluate --images in --truth masks --json").out);
  const Json tar = Json::parse(Run("evaluate --images both/x.tar --json").out);
  EXPECT_EQ(tar["pooled"], folder["pooled"]);
  EXPECT_EQ(tar["images"], folder["images"]);
  EXPECT_EQ(Run("train --images both --adapt off -o m.json").status, 2);  // no such option
  EXPECT_EQ(Run("train --images both -o m.json").status, 0);
  ASSERT_EQ(Run("detect in -o p --adapt off && tar -C p -cf p.tar .").status, 0);
  const Json predicted = Json::parse(Run("evaluate --predicted p.tar --truth m/x.tar --json").out);
  EXPECT_EQ(predicted["pooled"]["tp"],
            Json::parse(Run("evaluate --predicted p --truth masks --json").out)["pooled"]["tp"]);
  EXPECT_EQ(Run("sample --images in -o no.csv").status, 2);
}

TEST_F(ArchivesTest, ArchivesOfPairsThatAreBrokenAreErrors) {
  Pack();
  Put("cut.tar", ReadFile(Path("a.tar")).substr(0, 700));
  Put("x/cut.tar", "");
  for (const char* source : {"--images cut.tar", "--images x", "--images a.tar --masks cut.tar"}) {
    const Outcome run = Run(std::string("sample ") + source + " -o no.csv");
    EXPECT_EQ(run.status, 1) << source;
    const bool folder = source == std::string("--images x");  // which then holds no other image
    EXPECT_EQ(testing::Lines(run.err), folder ? 2 : 1) << run.err;
    EXPECT_NE(run.err.find("cut.tar: "), std::string::npos) << run.err;
  }
  EXPECT_FALSE(fs::exists(Path("no.csv")));
}

// What a pipe got of an archive that fails must not pass for the whole, however it falls into
// pieces.
TEST_F(ArchivesTest, WhatIsCutOffLacksItsEndOnAPipe) {
  fs::create_directories(Path("i"));
  const std::string tiny = Encode(".png", Gradient(8, 8));
  for (int i = 0; i < 300; ++i) Put("i/" + std::to_string(1000 + i) + ".png", tiny);
  Shell("tar -C i -cf all.tar $(ls i)");
  const std::string all = ReadFile(Path("all.tar"));
  const std::size_t entry = 512 + (tiny.size() + 511) / 512 * 512;
  for (std::size_t images = 120; images < 300; images += 20) {
    Put("cut.tar", all.substr(0, images * entry + 100));
    const Outcome run = Run("detect --adapt off -q cut.tar -o -");
    EXPECT_EQ(run.status, 1);
    EXPECT_FALSE(run.out.size() >= 1024 &&
                 run.out.substr(run.out.size() - 1024) == std::string(1024, '\0'))
        << images;
  }
}

// The share of what failed is that of all images, also of archives that an earlier run has done.
TEST_F(ArchivesTest, AResumedRunCountsTheImagesOfArchives) {
  Pack();
  Put("in/x.png", "no image");
  Shell("mkdir all && cp a.tar all/ && tar -C in -cf all/b.tar .");
  const Outcome first = Run("detect --adapt off all -o out --max-failures 40%");
  EXPECT_EQ(first.status, 0) << first.err;
  const Outcome again = Run("detect --adapt off all -o out --max-failures 40% --resume");
  EXPECT_EQ(again.status, 0) << again.err;
  // '1 failed, 0 skipped, 4 of 5 done' and '1 failed, 5 skipped, 0 of 5 done'.
  const auto of = [](const Outcome& run) {
    const std::size_t at = run.summary.find(" of ");
    return run.summary.substr(at, run.summary.find(" done") - at);
  };
  EXPECT_EQ(of(first), of(again)) << first.summary << again.summary;
  EXPECT_EQ(Run("detect --adapt off all -o out --max-failures 1% --resume").status, 1);
  // One output file has no record beside it, but --json.
  const std::string one = "detect --adapt off all/b.tar -o one.tar --json r.json --max-failures ";
  EXPECT_EQ(Run(one + "40%").status, 0);
  EXPECT_EQ(of(Run(one + "40% --resume")), " of 6");
  EXPECT_EQ(Run(one + "17% --resume").status, 0);
  EXPECT_EQ(Run(one + "16% --resume").status, 1);
}

TEST_F(ArchivesTest, FailuresOutliveResume) {
  Put("in/x.png", "no image");
  Pack();
  EXPECT_EQ(Run("detect a.tar -o out --json r.json").status, 1);
  for (const char* const more : {" --json r.json", ""}) {  // the folder has a record of its own
    const Outcome again = Run(std::string("detect a.tar -o out --resume") + more);
    EXPECT_EQ(again.status, 1);
    EXPECT_EQ(again.err.find("a.tar/x.png: failed in the run before"),
              again.err.rfind("a.tar/x.png"))
        << again.err;
  }
  // Names that JSON cannot tell apart.
  Shell("mkdir both && mv a.tar both/$(printf '\\344').tar && rm in/x.png");
  Pack("both/$(printf '\\366').tar");
  EXPECT_EQ(Run("detect both -o names").status, 1);
  const Outcome again = Run("detect both -o names --resume");
  EXPECT_EQ(again.status, 1) << again.err;
  EXPECT_NE(again.err.find(".tar/x.png: failed in the run before"), again.err.npos) << again.err;
  Put("in/x.png", "no image");
  Shell("mkdir bad && cp in/x.png bad/ && tar -C bad -cf bad.tar x.png");
  EXPECT_EQ(Run("detect bad.tar -o out --max-failures 100%").status, 1);
  EXPECT_FALSE(fs::exists(Path("out/bad.tar")));
}

// What appears while an archive is worked on is kept.
TEST_F(ArchivesTest, NothingIsReplacedThatAppearsMeanwhile) {
  Pack();
  Put("slow.sh",
      "mkfifo p.tar\n"
      "'" SKINMASK_PROGRAM
      "' detect p.tar -o m.tar -q & pid=$!\n"
      "exec 3>p.tar; head -c 2000 a.tar >&3; sleep 0.3\n"
      "echo precious >m.tar; tail -c +2001 a.tar >&3; exec 3>&-; wait $pid\n");
  const Outcome run = Run("version >/dev/null; timeout 60 sh slow.sh");
  EXPECT_NE(run.status, 0);
  EXPECT_EQ(ReadFile(Path("m.tar")), "precious\n");
}

// What was done of an archive that turns out to be none is written to a pipe, as it counts as done.
TEST_F(ArchivesTest, APipeGetsWhatWasDone) {
  Shell("cp in/0.png in/0.bmp");  // two images of one key
  const Outcome run =
      Run("version >/dev/null; (tar -C in -cf - 1.png 3.png 0.png 0.bmp | '" SKINMASK_PROGRAM
          "' detect - -o - --adapt off >cut.tar)");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.summary.find("1 failed, 0 skipped, 3 of 4 done"), std::string::npos) << run.err;
  Shell("tar -tf cut.tar >.list 2>.tar || true");  // the mark of its end is not there
  EXPECT_EQ(ReadFile(Path(".list")), "1.mask.png\n3.mask.png\n0.mask.png\n");
}

TEST_F(ArchivesTest, KeysMayHaveMoreThanAMask) {
  Put("k/a.png", Encode(".png", Gradient(20, 10)));
  Put("k/a.mask.png", Encode(".png", cv::Mat(10, 20, CV_8UC1, cv::Scalar(255))));
  Put("k/a.seg.png", Encode(".png", cv::Mat(10, 20, CV_8UC1, cv::Scalar(3))));
  Shell("ln k/a.png k/b.png && tar -C k -cf k.tar a.png a.mask.png a.seg.png b.png");
  const Outcome run = Run("sample --images k.tar -o k.csv");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.err.find("k.tar/b.png: is a link"), 10u) << run.err;
  EXPECT_NE(run.summary.find("1 failed, 0 skipped, 1 of 2 done"), std::string::npos) << run.summary;
  // Masks are no photographs of one class either.
  const Outcome whole = Run("sample --images k.tar --whole non-skin -o w.csv");
  EXPECT_NE(whole.summary.find("1 of 2 done"), std::string::npos) << whole.summary;
}

TEST_F(ArchivesTest, AKillLeavesNoHalfArchive) {
  for (int i = 0; i < 100; ++i)
    fs::create_hard_link(Path("in/0.png"), Path("in/x" + std::to_string(i) + ".png"));
  Shell("tar --hard-dereference -C in -cf a.tar .");
  ASSERT_EQ(Run("detect a.tar -o all -q").status, 0);
  for (const char* pause : {"0.01", "0.03", "0.05"}) {
    Run(std::string("detect a.tar -o out -q & pid=$!; sleep ") + pause +
        "; kill -9 $pid; wait $pid");
    if (fs::exists(Path("out/a.tar"))) {
      EXPECT_EQ(ReadFile(Path("out/a.tar")), ReadFile(Path("all/a.tar")));
    }
  }
  ASSERT_EQ(Run("detect a.tar -o out -q --resume").status, 0);
  EXPECT_EQ(ReadFile(Path("out/a.tar")), ReadFile(Path("all/a.tar")));
}

TEST_F(ArchivesTest, OutputsThatCannotBeAreSaid) {
  Pack();
  for (const auto& [arguments, reason] : {std::pair("a.tar -o m.png", "a tar archive"),
                                          {"in/0.png -o m.tar", "a tar archive"},
                                          {"a.tar -o m.mkv", "a tar archive"},
                                          {"a.tar -o a.tar --force", "is an input"},
                                          {"a.tar -o /dev/full", "cannot be written"}}) {
    const Outcome run = Run(std::string("detect --adapt off ") + arguments);
    EXPECT_NE(run.status, 0) << arguments;
    EXPECT_EQ(testing::Lines(run.err), 1) << run.err;
    EXPECT_NE(run.err.find(reason), std::string::npos) << run.err;
  }
  EXPECT_FALSE(fs::exists(Path("m.tar")));
  // No image is done before it is written.
  const Outcome full = Run("detect --adapt off a.tar -o /dev/full --csv t.csv");
  EXPECT_NE(full.summary.find(", 0 of "), std::string::npos) << full.summary;
  EXPECT_EQ(testing::Lines(ReadFile(Path("t.csv"))), 1);
}

}  // namespace
}  // namespace skinmask::cli
