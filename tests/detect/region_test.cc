#include "skinmask/detect/region.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "skinmask/detect/draw.h"
#include "support/world.h"

namespace skinmask {
namespace {

struct Ellipse {
  cv::Point2d center;
  double semi_major, semi_minor, degrees;
};

// 255 inside, 0 outside, judged at pixel centres.
void Fill(cv::Mat& map, const Ellipse& e, std::uint8_t value = 255) {
  const double angle = e.degrees * std::numbers::pi / 180;
  for (int y = 0; y < map.rows; ++y)
    for (int x = 0; x < map.cols; ++x) {
      const double dx = x - e.center.x, dy = y - e.center.y;
      const double u = (dx * std::cos(angle) + dy * std::sin(angle)) / e.semi_major;
      const double v = (dy * std::cos(angle) - dx * std::sin(angle)) / e.semi_minor;
      if (u * u + v * v <= 1) map.at<std::uint8_t>(y, x) = value;
    }
}

// How far apart two axes are, in degrees: those of 89 and -89 are 2 apart.
double Between(double a, double b) {
  const double d = std::fmod(std::abs(a - b), 180);
  return std::min(d, 180 - d);
}

cv::Mat Noise(int width, int height, std::uint64_t seed) {
  testing::Random random(seed);
  cv::Mat map(height, width, CV_8UC1);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) map.at<std::uint8_t>(y, x) = random.Byte();
  return map;
}

MapMoments Sum(const MapMoments& a, const MapMoments& b) {
  return {a.p + b.p, a.px + b.px, a.py + b.py, a.pxx + b.pxx, a.pxy + b.pxy, a.pyy + b.pyy};
}

TEST(RegionTest, MomentsAreTheSumsByDefinition) {
  for (const auto& [width, height] : {std::pair{1, 1}, {7, 3}, {640, 5}, {9000, 2}, {3, 400}}) {
    const cv::Mat map = Noise(width, height, 7);
    MapMoments sums;
    for (Int128 y = 0; y < height; ++y)
      for (Int128 x = 0; x < width; ++x) {
        const Int128 p = map.at<std::uint8_t>(static_cast<int>(y), static_cast<int>(x));
        sums = Sum(sums, {p, p * x, p * y, p * x * x, p * x * y, p * y * y});
      }
    EXPECT_EQ(MapMomentsOf(map), sums) << width << "x" << height;
  }
}

TEST(RegionTest, MomentsAreExactWhereFloatingPointIsNot) {
  // All of 30,000 x 30,000 pixels at 255: the sum of p x^2 is beyond 2^53. One row, seen again and
  // again, saves the memory.
  constexpr int kSide = 30000;
  cv::Mat row(1, kSide, CV_8UC1, cv::Scalar(255));
  cv::Mat map = row;
  map.rows = kSide;
  map.step = 0;
  const MapMoments m = MapMomentsOf(map);
  const Int128 n = kSide, first = n * (n - 1) / 2, second = (n - 1) * n * (2 * n - 1) / 6;
  const MapMoments expected{255 * n * n,      255 * n * first,     255 * n * first,
                            255 * n * second, 255 * first * first, 255 * n * second};
  EXPECT_EQ(m, expected);
  EXPECT_NEAR(RegionOf(m)->semi_major, kSide / std::sqrt(3), 1e-9 * kSide);
}

TEST(RegionTest, WindowsAddUpToTheWhole) {
  const cv::Mat map = Noise(301, 200, 3);
  const MapMoments left = MapMomentsOf(map, {-5, -5, 105, 300}),
                   above = MapMomentsOf(map, {100, 0, 201, 77}),
                   below = MapMomentsOf(map, {100, 77, 1000, 1000});
  EXPECT_EQ(Sum(left, Sum(above, below)), MapMomentsOf(map));
  EXPECT_EQ(MapMomentsOf(map, {400, 10, 5, 5}), MapMoments());
}

TEST(RegionTest, EllipsesAtKnownAngles) {
  for (double degrees = -87.5; degrees <= 90; degrees += 7.5)
    for (const double minor : {20.0, 45.0, 54.0}) {
      const Ellipse e{{141.3, 117.8}, 60, minor, degrees};
      cv::Mat map = cv::Mat::zeros(240, 300, CV_8UC1);
      Fill(map, e);
      const std::optional<Region> region = RegionOf(MapMomentsOf(map));
      ASSERT_TRUE(region);
      EXPECT_LT(Between(region->angle_degrees, degrees), 0.5) << minor;
      EXPECT_LT(cv::norm(region->centroid - e.center), 0.5);
      EXPECT_NEAR(region->semi_major, e.semi_major, 0.5);
      EXPECT_NEAR(region->semi_minor, e.semi_minor, 0.5);
      EXPECT_NEAR(region->pixels, std::numbers::pi * 60 * minor, 60);
      EXPECT_GT(region->angle_degrees, -90);
      EXPECT_LE(region->angle_degrees, 90);
    }
}

TEST(RegionTest, ProbabilitiesWeigh) {
  // Half the probability everywhere is half the pixels and the same ellipse.
  cv::Mat full = cv::Mat::zeros(100, 150, CV_8UC1), part = full.clone();
  Fill(full, {{70, 50}, 40, 20, 30}, 200);
  Fill(part, {{70, 50}, 40, 20, 30}, 100);
  const Region a = *RegionOf(MapMomentsOf(full)), b = *RegionOf(MapMomentsOf(part));
  EXPECT_DOUBLE_EQ(a.pixels, 2 * b.pixels);
  EXPECT_DOUBLE_EQ(a.angle_degrees, b.angle_degrees);
  EXPECT_DOUBLE_EQ(a.semi_major, b.semi_major);
}

TEST(RegionTest, EmptyAndSinglePixels) {
  EXPECT_FALSE(RegionOf(MapMomentsOf(cv::Mat())));
  cv::Mat map = cv::Mat::zeros(20, 30, CV_8UC1);
  EXPECT_FALSE(RegionOf(MapMomentsOf(map)));
  map.at<std::uint8_t>(7, 11) = 1;
  const std::optional<Region> one = RegionOf(MapMomentsOf(map));
  ASSERT_TRUE(one);
  EXPECT_EQ(one->centroid, cv::Point2d(11, 7));
  EXPECT_EQ(one->angle_degrees, 0);
  EXPECT_DOUBLE_EQ(one->semi_major, one->semi_minor);
  map.at<std::uint8_t>(8, 11) = 1;  // two, one below the other
  EXPECT_DOUBLE_EQ(RegionOf(MapMomentsOf(map))->angle_degrees, 90);
}

// A small ellipse crosses a picture in which a larger one rests; both turn.
TEST(RegionTest, TrackingFollowsOneOfTwo) {
  RegionTracker tracker(cv::Rect(20, 150, 70, 70));
  for (int i = 0; i < 120; ++i) {
    const Ellipse moving{{50 + 4.0 * i, 185 + 60 * std::sin(i / 15.0)}, 28, 14, 3.0 * i};
    cv::Mat map = cv::Mat::zeros(480, 640, CV_8UC1);
    Fill(map, {{320, 380}, 110, 60, -2.0 * i});
    Fill(map, moving);
    const std::optional<Region> region = tracker.Follow(map);
    ASSERT_TRUE(region) << i;
    EXPECT_LT(cv::norm(region->centroid - moving.center), 0.5) << i;
    EXPECT_LT(Between(region->angle_degrees, moving.degrees), 0.5) << i;
  }
}

TEST(RegionTest, TrackingStandsThinMaps) {
  for (const cv::Size size : {cv::Size(320000, 1), cv::Size(1, 1000000)})
    EXPECT_TRUE(RegionTracker().Follow(cv::Mat(size, CV_8UC1, cv::Scalar(255))));
}

TEST(RegionTest, TrackingStandsNoise) {
  // A background that is one per cent skin everywhere draws the angle a little to the window's.
  RegionTracker tracker(cv::Rect(20, 150, 70, 70));
  for (int i = 0; i < 120; ++i) {
    const cv::Point2d center(50 + 4.0 * i, 185 + 60 * std::sin(i / 15.0));
    cv::Mat map = Noise(640, 480, static_cast<std::uint64_t>(i)) / 50;
    Fill(map, {center, 28, 14, 3.0 * i}, 230);
    const std::optional<Region> region = tracker.Follow(map);
    ASSERT_TRUE(region) << i;
    EXPECT_LT(cv::norm(region->centroid - center), 1) << i;
    EXPECT_LT(Between(region->angle_degrees, 3.0 * i), 3) << i;
  }
}

TEST(RegionTest, TrackingBeginsWithTheLargestAndSaysWhenItIsLost) {
  cv::Mat map = cv::Mat::zeros(480, 640, CV_8UC1);
  Fill(map, {{500, 300}, 60, 30, 20});
  Fill(map, {{100, 100}, 30, 30, 0});
  RegionTracker tracker;
  ASSERT_TRUE(tracker.Follow(map));
  EXPECT_LT(cv::norm(tracker.Follow(map)->centroid - cv::Point2d(500, 300)), 0.5);
  cv::Mat other = cv::Mat::zeros(480, 640, CV_8UC1);
  EXPECT_FALSE(tracker.Follow(other));
  EXPECT_FALSE(tracker.window());
  EXPECT_FALSE(tracker.Follow(other));
  Fill(other, {{100, 100}, 30, 30, 0});
  ASSERT_TRUE(tracker.Follow(other));
  EXPECT_LT(cv::norm(tracker.Follow(other)->centroid - cv::Point2d(100, 100)), 0.5);
}

TEST(RegionTest, WindowsThatLeaveThePictureAreLost) {
  RegionTracker tracker(cv::Rect(-50, -50, 20, 20));
  EXPECT_FALSE(tracker.Follow(Noise(64, 64, 1)));
  EXPECT_TRUE(tracker.Follow(cv::Mat(64, 64, CV_8UC1, cv::Scalar(255))));
}

TEST(RegionTest, DrawingMarksTheAxis) {
  cv::Mat picture = cv::Mat::zeros(200, 300, CV_8UC3);
  DrawRegion(picture, {.pixels = 1,
                       .centroid = {150, 100},
                       .semi_major = 80,
                       .semi_minor = 30,
                       .angle_degrees = 30});
  const auto lit = [&](double x, double y) {
    return picture.at<cv::Vec3b>(cvRound(y), cvRound(x))[2] > 80;
  };
  const double c = std::cos(std::numbers::pi / 6), s = 0.5;
  EXPECT_TRUE(lit(150 + 40 * c, 100 + 40 * s));  // on the long axis
  EXPECT_TRUE(lit(150 - 40 * c, 100 - 40 * s));
  EXPECT_TRUE(lit(150 - 30 * s, 100 + 30 * c));   // where the short one meets the ellipse
  EXPECT_FALSE(lit(150 + 40 * c, 100 - 40 * s));  // the mirrored axis
}

}  // namespace
}  // namespace skinmask
