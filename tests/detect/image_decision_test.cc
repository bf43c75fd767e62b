// The decisions about images without a face, each alone.
#include "detect/adapt/image_decision.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "skinmask/media/image.h"
#include "support/light.h"
#include "support/scenes.h"

namespace skinmask {
namespace {

using testing::Darker;
using testing::Hand;
using testing::Light;
using testing::Toned;
using testing::Under;

TEST(Exposure, StopsBringTheLightestPixelsToTheExposure) {
  const ImageDecisionOptions options;
  for (const double darker : {0.7, 1., 2., 3.}) {
    const cv::Mat bgr = Darker(Hand(3), darker);
    const double stops = StopsOf(bgr, options);
    const cv::Mat lit = InLight(bgr, LightTable(kAsItIs, stops));
    // Brute force: all greatest channels, sorted.
    std::vector<int> greatest;
    for (int y = 0; y < lit.rows; ++y)
      for (int x = 0; x < lit.cols; ++x) {
        const cv::Vec3b& pixel = lit.at<cv::Vec3b>(y, x);
        greatest.push_back(std::max({pixel[0], pixel[1], pixel[2]}));
      }
    std::sort(greatest.begin(), greatest.end());
    const auto place =
        static_cast<std::size_t>(options.exposed_share * static_cast<double>(greatest.size()));
    EXPECT_NEAR(Light(greatest[place]), options.exposure, 0.03) << darker;
  }
}

TEST(Exposure, LightAndBlackPicturesAreTakenAsTheyAre) {
  const ImageDecisionOptions options;
  EXPECT_EQ(StopsOf(Hand(0), options), 0);
  EXPECT_EQ(StopsOf(cv::Mat(40, 60, CV_8UC3, cv::Scalar::all(255)), options), 0);
  EXPECT_EQ(StopsOf(cv::Mat(40, 60, CV_8UC3, cv::Scalar::all(0)), options), 0);
  EXPECT_EQ(StopsOf(cv::Mat(40, 60, CV_8UC3, cv::Scalar::all(2)), options), options.max_stops);
  ImageDecisionOptions off;
  off.exposure = 0;
  EXPECT_EQ(StopsOf(Darker(Hand(0), 2), off), 0);
  EXPECT_TRUE(LightTable(kAsItIs, 0).empty());
}

TEST(Exposure, LightIsMultipliedByTheGains) {
  cv::Mat bytes(1, 256, CV_8UC3);
  for (int i = 0; i < 256; ++i) bytes.at<cv::Vec3b>(0, i) = cv::Vec3b::all(static_cast<uchar>(i));
  for (const double stops : {0.1, 1., 4., 10.})
    for (const Gains& gains : {kAsItIs, Gains{0.7, 1, 1.04}, Gains{0.5, 1.5, 1}}) {
      const double more = std::exp2(stops);
      const cv::Mat expected = Under(bytes, {more * gains[0], more * gains[1], more * gains[2]});
      EXPECT_EQ(cv::norm(InLight(bytes, LightTable(gains, stops)), expected, cv::NORM_INF), 0);
    }
}

TEST(SteadyDecision, IsThatOfMostFrames) {
  for (const bool first : {false, true}) {
    SteadyDecision decision;
    EXPECT_EQ(decision.Decide(first, 1), first);
    // A first frame that is alone does not count for long.
    decision.Decide(!first, 1);
    EXPECT_EQ(decision.Decide(!first, 1), !first);
    // Every other frame is noise.
    for (int frame = 0; frame < 40; ++frame)
      EXPECT_EQ(decision.Decide(frame % 2 == 0, 1), !first) << frame;
    // A change that stays is followed; frames without weight change nothing.
    for (int frame = 0; frame < 100; ++frame) EXPECT_EQ(decision.Decide(first, 0), !first);
    int frames = 1;
    while (frames < 100 && decision.Decide(first, 1) != first) ++frames;
    EXPECT_LE(frames, 6);
  }
}

TEST(Monochrome, IsWhatHasOneHueForEachLightness) {
  const ImageDecisionOptions options;
  const cv::Mat photo = testing::Astronaut().bgr;
  for (const double share : {0., 0.05, 0.2, -0.3})
    for (const double darker : {0., 2.}) {
      const cv::Mat toned = Toned(Darker(photo, darker), share);
      EXPECT_TRUE(IsMonochrome(toned, options)) << share << ' ' << darker;
      const cv::Mat stored = DecodeImage(EncodeJpeg(toned, 85), "toned");
      EXPECT_TRUE(IsMonochrome(stored, options)) << share << ' ' << darker;
    }
  for (const double darker : {0., 2., 3.}) {
    EXPECT_FALSE(IsMonochrome(Darker(photo, darker), options)) << darker;
    EXPECT_FALSE(IsMonochrome(Darker(testing::Hopper().bgr, darker), options)) << darker;
    EXPECT_FALSE(IsMonochrome(Darker(Hand(3), darker), options)) << darker;
  }
  // One colour or two are not one hue for each of many lightnesses.
  EXPECT_FALSE(IsMonochrome(Hand(0), options));
  EXPECT_FALSE(IsMonochrome(cv::Mat(90, 60, CV_8UC3, cv::Scalar(125, 150, 205)), options));
  EXPECT_FALSE(IsMonochrome(cv::Mat(1, 1, CV_8UC3, cv::Scalar::all(7)), options));
}

// Two hues, but no two pixels of the same lightness that would show it.
TEST(Monochrome, IsNotToldByAPixelOfEachLightness) {
  cv::Mat line(1, 60, CV_8UC3);
  for (int x = 0; x < line.cols; ++x) {
    const int grey = 60 + 2 * x, red = x % 2 == 0 ? 30 : -30;
    line.at<cv::Vec3b>(0, x) =
        cv::Vec3b(static_cast<std::uint8_t>(grey - red), static_cast<std::uint8_t>(grey),
                  static_cast<std::uint8_t>(grey + red));
  }
  EXPECT_FALSE(IsMonochrome(line, {}));
}

}  // namespace
}  // namespace skinmask
