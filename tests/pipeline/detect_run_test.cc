#include "skinmask/pipeline/detect_run.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "skinmask/base/error.h"
#include "support/files.h"
#include "support/pictures.h"

namespace skinmask {
namespace {

class DetectRunTest : public testing::FolderTest {
 protected:
  DetectRunTest() {
    for (int i = 0; i < 20; ++i)
      Put("in/sub/" + std::to_string(i) + ".png",
          testing::Encode(".png", testing::Gradient(64, 48)));
    options_.inputs = {Path("in")};
    options_.output_folder = Path("out");
    run_.problem = [&](const Problem& problem) { problems_.push_back(problem.line); };
  }
  DetectOptions options_;
  skinmask::Run run_;
  std::vector<std::string> problems_;
};

// A folder that vanishes is not made again, as if nothing that was in it were lost.
TEST_F(DetectRunTest, AnOutputFolderThatVanishesIsAnError) {
  int done = 0;
  const auto remove = [&](const DetectedImage&) {
    if (++done == 1) testing::fs::remove_all(Path("out"));
  };
  EXPECT_ERROR(Detect(options_, DefaultModel(), run_, remove), "vanished");
  EXPECT_EQ(problems_.size(), 19u);
  EXPECT_FALSE(testing::fs::exists(Path("out")));
}

TEST_F(DetectRunTest, AFolderWithinItThatVanishesIsAProblemOfEachImage) {
  int done = 0;
  const auto remove = [&](const DetectedImage&) {
    if (++done == 1) testing::fs::remove_all(Path("out/sub"));
  };
  EXPECT_NO_THROW(Detect(options_, DefaultModel(), run_, remove));
  EXPECT_EQ(problems_.size(), 19u);
}

}  // namespace
}  // namespace skinmask
