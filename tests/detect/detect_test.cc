#include "skinmask/detect/detector.h"

#include <atomic>

#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/detect/detect_image.h"
#include "skinmask/media/image.h"
#include "support/colors.h"
#include "support/pictures.h"
#include "support/program.h"

namespace skinmask {
namespace {

class DetectCallTest : public testing::ProgramTest {};

// One call gives what the program gives: of faces, and of a picture without one.
TEST_F(DetectCallTest, IsWhatTheProgramDoes) {
  Put("in/none.png", testing::Encode(".png", testing::Gradient(120, 90)));
  for (const auto& photo : testing::fs::directory_iterator(testing::SamplesFolder() / "photos"))
    testing::fs::copy(photo.path(), Path("in") / photo.path().filename());
  ASSERT_EQ(Run("detect in -o out").status, 0);
  for (const std::string& name : Names(Path("in"))) {
    const cv::Mat mask = Detect(ReadImage(Path("in/" + name)));
    const cv::Mat expected =
        ReadImage((Path("out") / name).replace_extension(".png"), {.keep_grey = true});
    ASSERT_EQ(mask.size(), expected.size()) << name;
    EXPECT_EQ(cv::norm(mask, expected, cv::NORM_INF), 0) << name;
  }
}

TEST(DetectCall, TakesBgrAlone) {
  EXPECT_THROW(Detect(cv::Mat()), Error);
  EXPECT_THROW(Detect(cv::Mat(9, 9, CV_8UC4)), Error);
}

// Only what takes long is given up: of other models a picture that was begun is finished.
TEST(DetectStopped, WaitsForNoModelOfManyClasses) {
  static std::atomic<bool> stop{true};
  const Model quick = testing::Trained(Kind::kQda, "HSV");
  const Model slow = testing::WithClasses(quick, 9);
  const cv::Mat bgr(9, 9, CV_8UC3, cv::Scalar(90, 120, 200));
  const auto judge = [&](const Model& model) {
    DetectMask(Posterior(model, {.expected_pixels = 81}), bgr);
  };
  StopWaitsBy(&stop);
  EXPECT_NO_THROW(judge(quick));
  EXPECT_THROW(judge(slow), WaitStopped);
  StopWaitsBy(nullptr);
  EXPECT_NO_THROW(judge(slow));
}

}  // namespace
}  // namespace skinmask
