#include "detect/adapt/seed_priors.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <numbers>
#include <numeric>
#include <opencv2/imgproc.hpp>

#include "support/world.h"

namespace skinmask {
namespace {

constexpr double kSize = 120;
const cv::Size kPicture(200, 200);
const Eigen::Vector3d kCheeks(110, 140, 200);

Seed FaceAt(const cv::Point2d& centre) {
  const FaceFrame frame{centre, kSize, 0};
  return {frame.Box(kPicture), frame, {}};
}

cv::Scalar Bgr(const Eigen::Vector3d& color) { return {color[0], color[1], color[2]}; }

// Of the colour of cheeks, and above the middle of the head that times `share`; with noise.
cv::Mat Picture(double share) {
  cv::Mat bgr(kPicture, CV_8UC3, Bgr(kCheeks));
  const int middle = 100 + static_cast<int>(kHeadCentre * kSize);
  bgr.rowRange(0, middle) = Bgr(share * kCheeks);
  testing::Random random(5);
  for (int y = 0; y < bgr.rows; ++y)
    for (int x = 0; x < 3 * bgr.cols; ++x)
      bgr.ptr(y)[x] = cv::saturate_cast<std::uint8_t>(bgr.ptr(y)[x] + 2 * random.Normal());
  return bgr;
}

Eigen::Vector3d MeanOfFace(double share, const SeedSkinOptions& options = {}) {
  const cv::Mat log_odds(kPicture, CV_32FC1, cv::Scalar(0));
  return ColorPriorOf(Picture(share), FaceAt({100, 100}), log_odds, options)->mean;
}

TEST(SeedPriors, DarkGlassesAreNoSkin) {
  EXPECT_LT((MeanOfFace(.5) - kCheeks).norm(), 1);
  EXPECT_LT((MeanOfFace(.78) - kCheeks).norm(), 1);
  // What is only somewhat darker is skin in shade.
  EXPECT_GT((MeanOfFace(.85) - kCheeks).norm(), 10);
  EXPECT_GT((MeanOfFace(.5, {.min_upper_lightness = 0}) - kCheeks).norm(), 30);
}

// Most of the lower half is out of the picture, and what is left of it may not outvote the upper
// one.
TEST(SeedPriors, AFaceCutByTheLowerBorderIsWhatIsSeenOfIt) {
  const cv::Mat bgr = Picture(.5), seen = bgr.rowRange(0, 118);
  Seed face = FaceAt({100, 100});
  face.box &= cv::Rect({}, seen.size());
  const cv::Mat log_odds(seen.size(), CV_32FC1, cv::Scalar(0));
  EXPECT_LT((ColorPriorOf(seen, face, log_odds, {})->mean - .5 * kCheeks).norm(), 50);
}

// A mask says what is skin, and no half of it is another's.
TEST(SeedPriors, WhatIsMarkedCounts) {
  const cv::Mat log_odds(kPicture, CV_32FC1, cv::Scalar(0));
  const cv::Rect box(40, 40, 120, 132);  // half of it dark
  const Seed marked{box, {}, cv::Mat(box.size(), CV_8UC1, cv::Scalar(255))};
  const Eigen::Vector3d mean =
      ColorPriorOf(Picture(.5), marked, log_odds, {.trim_fraction = 0})->mean;
  EXPECT_LT((mean - .75 * kCheeks).norm(), 3);
}

ColorGaussian AnyGaussian(testing::Random& random) {
  const auto vector = [&] {
    return Eigen::Vector3d(random.Normal(), random.Normal(), random.Normal());
  };
  Eigen::Matrix3d root;
  root << 9 * vector(), 5 * vector(), 3 * vector();
  return {1, 120 * Eigen::Vector3d::Ones() + 20 * vector(),
          root * root.transpose() + Eigen::Matrix3d::Identity()};
}

double Faces(const std::vector<ColorGaussian>& all) {
  return std::accumulate(all.begin(), all.end(), 0.,
                         [](double n, const ColorGaussian& g) { return n + g.n; });
}

TEST(SeedPriors, FewAreDividedAndManyAreJoined) {
  testing::Random random(7);
  for (std::size_t count = 1; count <= 7; ++count) {
    std::vector<ColorGaussian> priors;
    for (std::size_t i = 0; i < count; ++i) priors.push_back(AnyGaussian(random));
    const std::vector<ColorGaussian> all = SkinPriors(priors, 4);
    EXPECT_EQ(all.size(), count <= 2 ? 2 * count : std::min<std::size_t>(count, 4));
    EXPECT_DOUBLE_EQ(Faces(all), static_cast<double>(count));
    for (std::size_t i = 0; count <= 2 && i < count; ++i) {
      const ColorGaussian& a = all[2 * i];
      const ColorGaussian& b = all[2 * i + 1];
      EXPECT_LT(((a.mean + b.mean) / 2 - priors[i].mean).norm(), 1e-9);
      EXPECT_GT(a.covariance.determinant(), 0);
      EXPECT_EQ(a.covariance, b.covariance);
      // Both together are wider along the way from one to the other, and nowhere else.
      const Eigen::Matrix3d wider = Joined(a, b).covariance - priors[i].covariance;
      const Eigen::Vector3d axis = (b.mean - a.mean).normalized();
      EXPECT_GT(axis.dot(wider * axis), 0);
      EXPECT_LT((wider - axis.dot(wider * axis) * axis * axis.transpose()).norm(), 1e-9);
    }
  }
}

TEST(SeedPriors, HairIsWhatIsAboveTheForehead) {
  const Eigen::Vector3d hair(20, 40, 60);
  cv::Mat bgr(kPicture, CV_8UC3, Bgr(kCheeks));
  bgr.rowRange(0, 50) = Bgr(hair);
  const Seed face = FaceAt({100, 110});  // whose forehead ends at 50
  const auto found = HairOf(bgr, kPicture, {&face, 1}, 16);
  ASSERT_TRUE(found);
  EXPECT_LT((found->mean - hair).norm(), 1e-9);
  EXPECT_LT((found->covariance - 16 * Eigen::Matrix3d::Identity()).norm(), 1e-9);
  // The same where the face was found in a larger picture.
  Seed larger = face;
  larger.face->centre *= 3;
  larger.face->size *= 3;
  EXPECT_LT((HairOf(bgr, kPicture * 3, {&larger, 1}, 16)->mean - hair).norm(), 1e-9);
  // Turned with the picture.
  cv::Mat turned;
  cv::rotate(bgr, turned, cv::ROTATE_90_CLOCKWISE);
  Seed lying = FaceAt({kPicture.height - 110., 100});
  lying.face->tilt = std::numbers::pi / 2;
  EXPECT_LT((HairOf(turned, kPicture, {&lying, 1}, 16)->mean - hair).norm(), 1e-9);
  const Seed at_the_top = FaceAt({100, 60}), region{{0, 60, 90, 90}, {}, {}};
  EXPECT_FALSE(HairOf(bgr, kPicture, {&at_the_top, 1}, 16));
  EXPECT_FALSE(HairOf(bgr, kPicture, {&region, 1}, 16));
}

}  // namespace
}  // namespace skinmask
