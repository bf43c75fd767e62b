#include "skinmask/detect/draw.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

namespace skinmask {
namespace {

// The overlay in OpenCV's whole pictures.
cv::Mat Expected(const cv::Mat& bgr, const cv::Mat& mask) {
  cv::Mat overlay, grown;
  bgr.convertTo(overlay, CV_8U, 0.3);
  bgr.copyTo(overlay, mask);
  cv::dilate(mask, grown, cv::getStructuringElement(cv::MORPH_CROSS, {3, 3}));
  overlay.setTo(cv::Scalar(64, 255, 64), grown & ~mask);
  return overlay;
}

// Masks from specks to areas, of two levels and of three, and of sizes around those of vectors.
TEST(DrawTest, OverlaysAreWhatOpenCvComposes) {
  cv::RNG random(5);
  for (const cv::Size size : {cv::Size(1, 1), cv::Size(7, 3), cv::Size(10, 1), cv::Size(1, 10),
                              cv::Size(8, 8), cv::Size(9, 9), cv::Size(131, 60), cv::Size(640, 41)})
    for (const double smooth : {0., 2., 9.})
      for (const int levels : {2, 3}) {
        cv::Mat bgr(size, CV_8UC3), noise(size, CV_32FC1), mask(size, CV_8UC1, cv::Scalar(0));
        random.fill(bgr, cv::RNG::UNIFORM, 0, 256);
        random.fill(noise, cv::RNG::NORMAL, 0, 1);
        if (smooth > 0) cv::GaussianBlur(noise, noise, {}, smooth);
        if (levels == 3) mask.setTo(128, noise > -0.05);
        mask.setTo(255, noise > 0.02);
        const cv::Mat overlay = DrawOverlay(bgr, mask);
        ASSERT_EQ(overlay.size(), size);
        EXPECT_EQ(cv::norm(overlay, Expected(bgr, mask), cv::NORM_INF), 0)
            << size << " " << smooth << " " << levels;
      }
}

}  // namespace
}  // namespace skinmask
