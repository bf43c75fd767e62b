// What is refused, left out and made before the first input is touched.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>

#include "skinmask/base/error.h"
#include "support/detect_run.h"
#include "support/unprivileged.h"

namespace skinmask {
namespace {

using testing::DetectRunTest;

// Before the first input is touched, and not once for each.
TEST_F(DetectRunTest, OutputsThatCannotBeAreErrors) {
  const auto refuses = [&](const char* why, const auto& change) {
    DetectOptions options = options_;
    change(options);
    EXPECT_ERROR(Detect(options, Detector(DefaultModel(), nullptr), run_, [](const auto&) {}), why);
  };
  refuses("outputs: are none", [](DetectOptions& o) { o.outputs.clear(); });
  refuses("outputs: have 'mask' more than once", [](DetectOptions& o) {
    o.outputs = {Output::kMask, Output::kMask};
  });
  refuses("probability_bits 9: is unknown", [](DetectOptions& o) { o.probability_bits = 9; });
  refuses("quality: 500 is out of range", [](DetectOptions& o) { o.style.quality = 500; });
  refuses("feather: -1 is out of range", [](DetectOptions& o) { o.style.feather = -1; });
  EXPECT_TRUE(problems_.empty());
}

// Of no file that it may hold, or is not to hold.
TEST_F(DetectRunTest, AnOutputFolderIsAskedForItself) {
  testing::fs::create_directories(Path("out/mask.png"));
  EXPECT_NO_THROW(PrepareOutput(options_));
  testing::fs::permissions(Path("out"), testing::fs::perms::owner_read);
  EXPECT_TRUE(testing::SaysUnprivileged([&] {
    try {
      PrepareOutput(options_);
    } catch (const Error& e) {
      return std::string(e.what()).starts_with(Path("out").string() +
                                               ": cannot be written: Permission");
    }
    return false;
  }));
  testing::fs::permissions(Path("out"), testing::fs::perms::owner_all);
}

TEST_F(DetectRunTest, ALinkToNothingIsNoOutputFolder) {
  testing::fs::create_symlink(Path("nowhere"), Path("out"));
  EXPECT_ERROR(PrepareOutput(options_), "a link in its path leads to nothing");
}

// Two runs of one list, as where a scheduler begins the second before the first has ended.
TEST_F(DetectRunTest, OutputsThatAppearMeanwhileAreDone) {
  run_.planned = [&](const std::string& input, bool there) {
    EXPECT_FALSE(there);
    testing::fs::create_directories(Path("out/sub"));
    if (!input.ends_with("7.png")) return;
    Put("out/sub/" + testing::fs::path(input).filename().string(), "another's");
  };
  int finished = 0, done = 0;
  run_.finished = [&] { ++finished; };
  std::vector<std::string> left_out;
  run_.left_out = [&](const std::string& input) { left_out.push_back(input); };
  const auto count = [&](const DetectedImage&) { ++done; };
  Detect(options_, Detector(DefaultModel(), nullptr), run_, count);
  EXPECT_EQ(problems_.size(), 2u);  // 7.png and 17.png: they exist already
  testing::fs::remove_all(Path("out"));
  problems_.clear();
  finished = done = 0;
  options_.if_exists = IfExists::kKeep;
  Detect(options_, Detector(DefaultModel(), nullptr), run_, count);
  EXPECT_EQ(problems_, std::vector<std::string>{});
  EXPECT_EQ(finished, 18);
  EXPECT_EQ(left_out, (std::vector<std::string>{Path("in/sub/17.png"), Path("in/sub/7.png")}));
  EXPECT_EQ(done, 18);
  EXPECT_EQ(ReadFile(Path("out/sub/17.png")), "another's");
}

// Whatever names lead there: links to either, and folders by another name.
TEST_F(DetectRunTest, NoInputIsWrittenOver) {
  namespace fs = testing::fs;
  const std::string before = ReadFile(Path("in/sub/0.png"));
  fs::create_directories(Path("out/sub"));
  fs::create_symlink(Path("in/sub/0.png"), Path("out/sub/0.png"));
  Put("out/sub/1.png", before);
  fs::create_symlink("../../out/sub/1.png", Path("in/sub/z.png"));
  fs::create_directory_symlink("in", Path("alias"));
  options_.if_exists = IfExists::kReplace;
  const auto refused = [&](const fs::path& output_folder) {
    problems_.clear();
    options_.output_folder = output_folder;
    Detect(options_, Detector(DefaultModel(), nullptr), run_, [](const DetectedImage&) {});
    std::size_t count = 0;
    for (const std::string& problem : problems_)
      count += problem.find("is an input and is not written over") != problem.npos;
    EXPECT_EQ(count, problems_.size());
    EXPECT_EQ(ReadFile(Path("in/sub/0.png")), before);
    return count;
  };
  EXPECT_EQ(refused(Path("out")), 2u);  // 0.png and 1.png; z.png is not there yet
  options_.inputs = {Path("in/sub/0.png"), Path("alias/sub/3.png")};
  EXPECT_EQ(refused(Path("in/sub/../sub")), 2u);
  EXPECT_EQ(refused(Path("alias/sub")), 2u);
  options_.inputs.clear();
  options_.listed = {Path("in/sub/0.png").string(), Path("in/sub/5.png").string()};
  options_.shard = options_.shard_count = 2;  // an input is one for every shard
  options_.output_folder = Path("out2");
  run_.written = {Path("alias/sub/0.png")};
  EXPECT_ERROR(
      Detect(options_, Detector(DefaultModel(), nullptr), run_, [](const DetectedImage&) {}),
      "is an input and is not written over");
}

TEST_F(DetectRunTest, NumbersOutOfRangeAreErrors) {
  const auto detect = [&] {
    Detect(options_, Detector(DefaultModel(), nullptr), run_, [](const DetectedImage&) {});
  };
  for (const auto& [shard, count] : {std::pair<std::size_t, std::size_t>(0, 1), {2, 1}, {1, 0}}) {
    options_.shard = shard;
    options_.shard_count = count;
    EXPECT_ERROR(detect(), fmt::format("shard {} of {}: is none", shard, count));
  }
  options_.shard = options_.shard_count = 1;
  options_.scale = 0;
  EXPECT_ERROR(detect(), "`scale` 0: is not 1, 2, 4 or 8");
}

// Of a run that was killed. What may still be written to stays, and what is only called alike.
TEST_F(DetectRunTest, OldPartsAreRemoved) {
  const std::string old = "out/sub/.skinmask-0123456789abcdef.part";
  const std::string others[] = {"out/sub/.skinmask-0123456789abcdee.part",
                                "out/sub/.skinmask-0123456789abcde.part",
                                "out/sub/skinmask-0123456789abcdef.part", "out/sub/old.png"};
  Put(old, "half");
  for (const std::string& other : others) Put(other, "half");
  const auto age = [&](const std::string& name, int hours) {
    testing::fs::last_write_time(
        Path(name), testing::fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  age(old, 25);
  age(others[0], 23);
  for (int i = 1; i < 4; ++i) age(others[i], 1000);
  Detect(options_, Detector(DefaultModel(), nullptr), run_, [](const DetectedImage&) {});
  EXPECT_FALSE(testing::fs::exists(Path(old)));
  for (const std::string& other : others) EXPECT_TRUE(testing::fs::exists(Path(other))) << other;
}

TEST_F(DetectRunTest, OldPartsAreRemovedFromTheWorkingFolder) {
  const testing::fs::path before = testing::fs::current_path();
  const std::string old = ".skinmask-0123456789abcdef.part";
  Put(old, "half");
  testing::fs::last_write_time(Path(old),
                               testing::fs::file_time_type::clock::now() - std::chrono::hours(25));
  options_.inputs = {Path("in/sub/0.png")};
  options_.output_file = "x.png";
  testing::fs::current_path(Path(""));
  EXPECT_NO_THROW(
      Detect(options_, Detector(DefaultModel(), nullptr), run_, [](const DetectedImage&) {}));
  testing::fs::current_path(before);
  EXPECT_TRUE(testing::fs::exists(Path("x.png")));
  EXPECT_FALSE(testing::fs::exists(Path(old)));
}

}  // namespace
}  // namespace skinmask
