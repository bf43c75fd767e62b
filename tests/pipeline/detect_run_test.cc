#include "skinmask/pipeline/detect_run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "support/detect_run.h"

namespace skinmask {
namespace {

using testing::DetectRunTest;

// A folder that vanishes is not made again, as if nothing that was in it were lost.
TEST_F(DetectRunTest, AnOutputFolderThatVanishesIsAProblem) {
  int done = 0;
  const auto remove = [&](const DetectedImage&) {
    if (++done == 1) testing::fs::remove_all(Path("out"));
  };
  bool tolerable = true;
  run_.problem = [&](const Problem& problem) {
    problems_.push_back(problem.line);
    tolerable = problem.tolerable;
  };
  Detect(options_, Detector(DefaultModel(), nullptr), run_, remove);
  ASSERT_EQ(problems_.size(), 20u);
  EXPECT_NE(problems_.back().find("vanished"), std::string::npos);
  EXPECT_FALSE(tolerable);
  EXPECT_FALSE(testing::fs::exists(Path("out")));
}

TEST_F(DetectRunTest, AFolderWithinItThatVanishesIsAProblemOfEachImage) {
  int done = 0;
  const auto remove = [&](const DetectedImage&) {
    if (++done == 1) testing::fs::remove_all(Path("out/sub"));
  };
  EXPECT_NO_THROW(Detect(options_, Detector(DefaultModel(), nullptr), run_, remove));
  EXPECT_EQ(problems_.size(), 19u);
}

// What failed in an archive that another run does at the same time, is told by both.
TEST_F(DetectRunTest, FailuresOfAConcurrentRunAreTold) {
  Put("a/1.png", testing::Encode(".png", testing::Gradient(64, 48)));
  Put("a/2.png", "no image");
  ASSERT_EQ(std::system(
                fmt::format("cd '{}' && tar cf ../a.tar 1.png 2.png", Path("a").string()).c_str()),
            0);
  options_.inputs = {Path("a.tar"), Path("in/sub/0.png")};
  options_.if_exists = IfExists::kKeep;
  options_.made_with.emplace();
  const Detector detector(DefaultModel(), nullptr);
  const auto done = [](const DetectedImage&) {};
  std::size_t more = 0;
  run_.planned_more = [&](std::size_t n) { more += n; };
  // The image is planned after the archive.
  run_.planned = [&](const std::string& input, bool) {
    if (!input.ends_with("0.png")) return;
    DetectOptions other = options_;
    other.inputs = {Path("a.tar")};
    skinmask::Run quiet;
    Detect(other, detector, quiet, done);
  };
  Detect(options_, detector, run_, done);
  ASSERT_EQ(problems_.size(), 1u);
  EXPECT_NE(problems_[0].find("2.png"), std::string::npos) << problems_[0];
  EXPECT_EQ(more, 1u);
}

}  // namespace
}  // namespace skinmask
