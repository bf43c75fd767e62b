#include "skinmask/detect/draw.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "skinmask/base/error.h"
#include "support/files.h"

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

// The width is that of the distance from the skin, a pixel of which is never covered.
// A mask that lies in a larger picture, as one that becomes a PNG does.
TEST(DrawTest, FeatheringSeesNothingBesideTheMask) {
  cv::Mat larger = cv::Mat::zeros(50, 60, CV_8UC1);
  cv::Mat mask = larger(cv::Rect(5, 5, 40, 30));
  mask.setTo(255);
  const cv::Mat alpha = FeatheredAlpha(mask, cv::Mat(mask.size(), CV_8UC1, cv::Scalar(161)), .5, 5);
  EXPECT_EQ(cv::countNonZero(alpha != 255), 0);
}

TEST(DrawTest, NumbersOutOfRangeAreErrors) {
  const cv::Mat grey(9, 9, CV_8UC1, cv::Scalar(1));
  EXPECT_ERROR(InPalette(grey, std::string(3 * 300, 'x')),
               "palette: has 300 colours (at most 256)");
  for (const int width : {-1, 101})
    EXPECT_ERROR(FeatheredAlpha(grey, grey, .5, width), "is out of range (0 to 100)");
  for (const double threshold : {-0.1, 1.1, std::nan("")}) {
    EXPECT_ERROR(FeatheredAlpha(grey, grey, threshold, 3), "is out of range (0 to 1)");
    EXPECT_ERROR(MaskOf(cv::Mat1f(9, 9), threshold), "is out of range (0 to 1)");
  }
  cv::Mat bgr(9, 9, CV_8UC3);
  Region region;
  region.semi_major = -1;
  EXPECT_ERROR(DrawRegion(bgr, region), "has an axis below 0");
}

TEST(DrawTest, BordersOfLargePicturesAreWider) {
  cv::RNG random(7);
  for (const auto& [size, width] : {std::pair(cv::Size(1600, 1499), 1),
                                    {cv::Size(1500, 1600), 2},
                                    {cv::Size(3000, 2600), 3},
                                    {cv::Size(4800, 4700), 5}}) {
    // In one part of the picture, which is enough to look at.
    const cv::Rect part(300, 200, 1000, 900);
    cv::Mat small(part.size() / 20, CV_32FC1), noise;
    random.fill(small, cv::RNG::NORMAL, 0, 1);
    cv::resize(small, noise, part.size(), 0, 0, cv::INTER_CUBIC);
    cv::Mat whole(size, CV_8UC1, cv::Scalar(0)), mask = whole(part);
    const cv::Rect inner(10, 10, part.width - 20, part.height - 20);
    cv::Mat(noise(inner) > 0.7).copyTo(mask(inner));
    mask.at<std::uint8_t>(part.height / 2, part.width / 2) = 255;
    const cv::Mat bgr(size, CV_8UC3, cv::Scalar(10, 20, 30));
    cv::Mat border, distance;
    cv::inRange(DrawOverlay(bgr, whole), cv::Scalar(64, 255, 64), cv::Scalar(64, 255, 64), border);
    const int everywhere = cv::countNonZero(border);
    border = border(part);
    EXPECT_EQ(cv::countNonZero(border), everywhere) << size;
    cv::distanceTransform(~mask, distance, cv::DIST_L2, cv::DIST_MASK_PRECISE);
    EXPECT_EQ(cv::countNonZero(border & mask), 0) << size;
    EXPECT_EQ(cv::countNonZero(border & (distance > width + 0.5)), 0) << size;
    EXPECT_EQ(cv::countNonZero(~border & ~mask & (distance <= width - 0.5)), 0) << size;
    EXPECT_GT(cv::countNonZero(border & (distance > width - 0.5)), 1000) << size;
  }
}

}  // namespace
}  // namespace skinmask
