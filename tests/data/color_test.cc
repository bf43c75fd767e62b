#include "skinmask/data/color.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include <numeric>
#include <opencv2/imgproc.hpp>

#include "skinmask/base/error.h"
#include "support/files.h"

namespace skinmask {
namespace {

// All 2^24 colours as a 4096 x 4096 picture.
const cv::Mat& AllColors() {
  static const cv::Mat colors = [] {
    cv::Mat m(4096, 4096, CV_8UC3);
    std::uint8_t* bgr = m.ptr<std::uint8_t>();
    for (int i = 0; i < 1 << 24; ++i, bgr += 3) {
      bgr[0] = static_cast<std::uint8_t>(i);
      bgr[1] = static_cast<std::uint8_t>(i >> 8);
      bgr[2] = static_cast<std::uint8_t>(i >> 16);
    }
    return m;
  }();
  return colors;
}

const ColorSpace& Space(const char* name) { return Features(name, {}).space(); }

Eigen::VectorXd Convert(const std::string& space, std::uint8_t b, std::uint8_t g, std::uint8_t r) {
  const Features features(space, {});
  const std::uint8_t bgr[3] = {b, g, r};
  std::int32_t carrier[3];
  CarrierRow(features.space(), bgr, 1, carrier);
  return features.Matrix() * Eigen::Vector3d(carrier[0], carrier[1], carrier[2]) +
         features.Offset();
}

class EightBitSpace : public ::testing::TestWithParam<std::pair<const char*, int>> {};

TEST_P(EightBitSpace, IsCvtColorForEveryColor) {
  const auto [name, code] = GetParam();
  cv::Mat expected;
  cv::cvtColor(AllColors(), expected, code);
  std::vector<std::int32_t> carrier(3 * 4096);
  for (int y = 0; y < 4096; ++y) {
    CarrierRow(Space(name), AllColors().ptr<std::uint8_t>(y), 4096, carrier.data());
    const std::uint8_t* row = expected.ptr<std::uint8_t>(y);
    ASSERT_TRUE(std::equal(carrier.begin(), carrier.end(), row)) << "row " << y;
  }
}

TEST_P(EightBitSpace, DependsOnThePixelAlone) {
  // Vector code and its scalar tail must agree: the same pixel at every place of rows of every
  // length.
  const ColorSpace& space = Space(GetParam().first);
  for (std::size_t length = 1; length < 70; ++length) {
    std::vector<std::uint8_t> bgr(3 * length);
    for (std::size_t i = 0; i < bgr.size(); ++i)
      bgr[i] = static_cast<std::uint8_t>(37 * i + 11 * length);
    std::vector<std::int32_t> row(3 * length), one(3);
    CarrierRow(space, bgr.data(), length, row.data());
    for (std::size_t i = 0; i < length; ++i) {
      CarrierRow(space, &bgr[3 * i], 1, one.data());
      ASSERT_TRUE(std::equal(one.begin(), one.end(), &row[3 * i])) << length << " " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EightBitSpace,
                         ::testing::Values(std::pair{"HSV", int{cv::COLOR_BGR2HSV}},
                                           std::pair{"Lab", int{cv::COLOR_BGR2Lab}},
                                           std::pair{"Luv", int{cv::COLOR_BGR2Luv}}),
                         [](const auto& row) { return row.param.first; });

TEST(ColorSpace, YCrCbIsNotRounded) {
  for (const auto [b, g, r] :
       {std::array{0, 0, 0}, std::array{255, 3, 77}, std::array{12, 200, 255}}) {
    const double y = 0.114 * b + 0.587 * g + 0.299 * r;
    const Eigen::VectorXd f = Convert("YCrCb", b, g, r);
    EXPECT_NEAR(f(0), y, 1e-12);
    EXPECT_NEAR(f(1), 0.713 * (r - y) + 128, 1e-12);
    EXPECT_NEAR(f(2), 0.564 * (b - y) + 128, 1e-12);
  }
}

TEST(ColorSpace, AffineSpacesAgreeWithCvtColorUpToItsRounding) {
  for (const auto& [name, code] :
       {std::pair{"YCrCb", cv::COLOR_BGR2YCrCb}, std::pair{"YUV", cv::COLOR_BGR2YUV}}) {
    for (int i = 0; i < 5000; ++i) {
      const cv::Vec3b p(i * 7 % 256, i * 13 % 256, i * 29 % 256);
      cv::Mat out;
      cv::cvtColor(cv::Mat(1, 1, CV_8UC3, cv::Scalar(p)), out, code);
      const Eigen::VectorXd f = Convert(name, p[0], p[1], p[2]);
      for (int c = 0; c < 3; ++c)
        ASSERT_NEAR(out.at<cv::Vec3b>(0)[c], std::clamp(f(c), 0., 255.), 1.) << name;
    }
  }
}

TEST(ColorSpace, AffineSpacesAreInvertible) {
  for (const ColorSpace& space : ColorSpaces()) {
    if (!space.affine()) continue;
    const Eigen::Matrix3d m = Features(space.name, {}).Matrix();
    EXPECT_GT(std::abs(m.determinant()), 0.01) << space.name;
  }
}

TEST(ColorSpace, ChromaticityIsTheRatioToTwentyBits) {
  std::vector<std::int32_t> carrier(3 * 4096);
  for (int y = 0; y < 4096; y += 5) {
    const std::uint8_t* bgr = AllColors().ptr<std::uint8_t>(y);
    CarrierRow(Space("rg"), bgr, 4096, carrier.data());
    for (std::size_t x = 0; x < 4096; ++x) {
      const double sum = bgr[3 * x] + bgr[3 * x + 1] + bgr[3 * x + 2];
      const double r = sum > 0 ? bgr[3 * x + 2] / sum : 1. / 3,
                   g = sum > 0 ? bgr[3 * x + 1] / sum : 1. / 3;
      ASSERT_NEAR(carrier[3 * x] * 0x1p-20, r, 0x1p-21);
      ASSERT_NEAR(carrier[3 * x + 1] * 0x1p-20, g, 0x1p-21);
    }
  }
}

TEST(Features, SelectsChannelsInOrder) {
  const std::vector<std::string> names{"cb", "Y"};
  const Features features("ycrcb", names);
  EXPECT_EQ(features.channel_names(), (std::vector<std::string>{"Cb", "Y"}));
  const FeatureMatrix all = Features("YCrCb", {}).Matrix();
  EXPECT_EQ(features.Matrix().row(0), all.row(2));
  EXPECT_EQ(features.Matrix().row(1), all.row(0));
  EXPECT_EQ(features.Offset(), Eigen::Vector2d(128, 0));
}

TEST(Features, RefusesWhatIsNotThere) {
  const std::vector<std::string> twice{"B", "b"}, wrong{"Cr"};
  EXPECT_ERROR(Features("XYZZY", {}), "colour space 'XYZZY': is unknown (there are: BGR YCrCb");
  EXPECT_ERROR(Features("BGR", wrong), "channel 'Cr': is not in BGR (which has: B G R)");
  EXPECT_ERROR(Features("BGR", twice), "twice");
}

}  // namespace
}  // namespace skinmask
