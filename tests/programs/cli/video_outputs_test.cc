// What is made of videos beside masks of their own size.
#include <cmath>
#include <cstring>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "skinmask/detect/detect_image.h"
#include "skinmask/detect/draw.h"
#include "skinmask/model/model.h"
#include "support/video_program.h"

namespace skinmask {
namespace {

using testing::Lines;
using testing::Outcome;
using testing::Probe;
using testing::RawFrames;
using testing::Shell;
using Strings = std::vector<std::string>;

constexpr int kWidth = 151, kHeight = 93;
constexpr std::size_t kPixels = std::size_t{kWidth} * kHeight;

class VideoOutputsTest : public testing::VideoProgramTest {
 protected:
  // A clip of odd size whose frames the program ffmpeg has as BGR, and these frames.
  std::vector<cv::Mat> MakeOdd(const std::string& name, int frames = 6) const {
    Make(name, frames, "-c:v mjpeg -q:v 2 -pix_fmt yuvj444p", "151x93");
    const std::string bgr = RawFrames(folder_, name, "bgr24");
    std::vector<cv::Mat> pictures;
    for (std::size_t i = 0; i < bgr.size() / 3; i += kPixels) {
      cv::Mat picture(kHeight, kWidth, CV_8UC3);
      std::memcpy(picture.data, bgr.data() + 3 * i, 3 * kPixels);
      pictures.push_back(picture);
    }
    EXPECT_EQ(pictures.size(), static_cast<std::size_t>(frames));
    return pictures;
  }
};

TEST_F(VideoOutputsTest, ScaledMasksAreThoseOfAveragedFrames) {
  const std::vector<cv::Mat> frames = MakeOdd("a.avi");
  const Posterior posterior{DefaultModel()};
  for (const int scale : {2, 8}) {
    const std::string out = "out" + std::to_string(scale);
    const Outcome run = Run("detect --adapt off a.avi -o " + out +
                            " --output mask,overlay --scale 1/" + std::to_string(scale));
    ASSERT_EQ(run.status, 0) << run.err;
    const cv::Size size((kWidth + scale - 1) / scale, (kHeight + scale - 1) / scale);
    std::string expected;
    for (const cv::Mat& frame : frames) {
      cv::Mat small;
      cv::resize(frame, small, size, 0, 0, cv::INTER_AREA);
      const cv::Mat mask = DetectMask(posterior, small);
      expected.append(mask.ptr<char>(), mask.total());
    }
    EXPECT_TRUE(RawFrames(folder_, out + "/a.mkv", "gray") == expected) << scale;
    EXPECT_EQ(Probe(folder_, out + "/a.overlay.mp4", "stream=width,height"),
              (Strings{std::to_string((size.width + 1) / 2 * 2),
                       std::to_string((size.height + 1) / 2 * 2)}));
  }
  // With adaptation, and as single images: of the same size.
  ASSERT_EQ(Run("detect a.avi -o frames --frames --scale 1/2").status, 0);
  EXPECT_EQ(cv::imread(Path("frames/a/000005.png").string(), cv::IMREAD_UNCHANGED).size(),
            cv::Size(76, 47));
}

}  // namespace
}  // namespace skinmask
