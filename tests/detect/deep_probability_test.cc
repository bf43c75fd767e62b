// Probabilities of 16 bits, against the logistic function and the reference in double.
#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "skinmask/base/logistic.h"
#include "skinmask/detect/detect_image.h"
#include "skinmask/media/image.h"
#include "skinmask/model/reference.h"
#include "support/colors.h"

namespace skinmask {
namespace {

// How far a value may be from 65535 P: half a step for rounding it, and what floats lose.
constexpr double kMax = 0.5 + 0.05;

TEST(DeepProbability, IsTheLogisticFunctionToSixteenBits) {
  testing::Random random(3);
  cv::Mat z(7, 1001, CV_32FC1);  // no multiple of any vector
  for (int y = 0; y < z.rows; ++y)
    for (int x = 0; x < z.cols; ++x)
      z.at<float>(y, x) = static_cast<float>(x < 4 ? (x - 1.5) * 1e4 : 6 * random.Normal());
  cv::Mat first;
  for (const std::string& name : UsableTargets()) {
    const testing::ForcedTarget target(name);
    const cv::Mat deep = DeepProbabilityOf(z);
    ASSERT_EQ(deep.type(), CV_16UC1);
    if (first.empty()) first = deep;
    EXPECT_EQ(cv::countNonZero(deep != first), 0) << name;
    for (int y = 0; y < z.rows; ++y)
      for (int x = 0; x < z.cols; ++x)
        ASSERT_NEAR(deep.at<std::uint16_t>(y, x), 65535 * Logistic(z.at<float>(y, x)), kMax)
            << name << " " << z.at<float>(y, x);
  }
}

class DeepProbabilityOfKinds : public ::testing::TestWithParam<Kind> {};

TEST_P(DeepProbabilityOfKinds, IsThatOfTheReference) {
  const Model model = testing::TrainedOfKind(GetParam());
  const Reference reference(model);
  testing::Random random(4);
  cv::Mat bgr(40, 333, CV_8UC3);
  for (std::size_t i = 0; i < bgr.total() * 3; ++i) bgr.data[i] = random.Byte();
  const cv::Mat deep =
      DeepProbabilityOf(DetectLogOdds(Posterior(model, {.expected_pixels = bgr.total()}), bgr));
  std::vector<double> z(bgr.total());
  reference.LogOddsRow(bgr.data, z.size(), z.data());
  int between = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    const std::uint16_t value = deep.ptr<std::uint16_t>()[i];
    ASSERT_NEAR(value, 65535 * Logistic(z[i]), kMax);
    between += value % 257 != 0;  // what 8 bits do not have
  }
  EXPECT_GT(between, 100);
}

INSTANTIATE_TEST_SUITE_P(Kinds, DeepProbabilityOfKinds,
                         ::testing::Values(Kind::kQda, Kind::kMixture, Kind::kHistogramNb,
                                           Kind::kLogistic));

TEST(DeepPng, ReadsBackBitForBit) {
  testing::Random random(5);
  for (const cv::Size size : {cv::Size(1, 1), cv::Size(37, 20), cv::Size(400, 300)}) {
    cv::Mat image(size, CV_16UC1);
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x)
        image.at<std::uint16_t>(y, x) =
            static_cast<std::uint16_t>(random.Byte() << 8 | random.Byte());
    const std::string png = EncodePng(image);
    const cv::Mat read =
        cv::imdecode(std::vector<std::uint8_t>(png.begin(), png.end()), cv::IMREAD_UNCHANGED);
    ASSERT_EQ(read.type(), CV_16UC1);
    EXPECT_EQ(cv::countNonZero(read != image), 0);
  }
}

}  // namespace
}  // namespace skinmask
