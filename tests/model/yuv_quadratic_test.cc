#include "skinmask/model/yuv_quadratic.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "skinmask/base/logistic.h"
#include "skinmask/data/yuv_encoding.h"
#include "support/colors.h"

namespace skinmask {
namespace {

using Layout = YuvRow::Layout;
using Matrix = YuvEncoding::Matrix;
using Range = YuvEncoding::Range;
constexpr YuvEncoding kEncodings[] = {{Matrix::kBt601, Range::kLimited},
                                      {Matrix::kBt601, Range::kFull},
                                      {Matrix::kBt709, Range::kLimited},
                                      {Matrix::kBt709, Range::kFull}};

// One channel as a quadratic, to see the conversion itself.
Quadratic Channel(std::size_t channel) {
  Quadratic q;
  q.constant = 128;
  q.linear[channel] = 1;
  return q;
}

std::array<double, 3> BgrOf(const YuvEncoding& encoding, std::array<std::uint8_t, 3> yuv) {
  std::array<double, 3> bgr;
  for (std::size_t c = 0; c < 3; ++c) bgr[c] = InYuv(Channel(c), encoding)(yuv.data());
  return bgr;
}

TEST(Yuv, KnowsBlackWhiteAndGrey) {
  for (const YuvEncoding& encoding : kEncodings) {
    const bool full = encoding.range == Range::kFull;
    for (double channel : BgrOf(encoding, {static_cast<std::uint8_t>(full ? 0 : 16), 128, 128}))
      EXPECT_NEAR(channel, 0, 1e-9);
    for (double channel : BgrOf(encoding, {static_cast<std::uint8_t>(full ? 255 : 235), 128, 128}))
      EXPECT_NEAR(channel, 255, 1e-9);
  }
}

// What the standards print: the bytes of pure red and blue.
TEST(Yuv, KnowsThePrimariesOfTheStandards) {
  const auto expect_near = [](std::array<double, 3> bgr, std::array<double, 3> expected) {
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(bgr[c], expected[c], 1.5);
  };
  expect_near(BgrOf({Matrix::kBt601, Range::kLimited}, {81, 90, 240}), {0, 0, 255});
  expect_near(BgrOf({Matrix::kBt601, Range::kLimited}, {41, 240, 110}), {255, 0, 0});
  expect_near(BgrOf({Matrix::kBt601, Range::kFull}, {76, 85, 255}), {0, 0, 255});
  expect_near(BgrOf({Matrix::kBt709, Range::kLimited}, {63, 102, 240}), {0, 0, 255});
  expect_near(BgrOf({Matrix::kBt709, Range::kLimited}, {32, 240, 118}), {255, 0, 0});
}

TEST(Yuv, AgreesWithOpenCvWhereNothingIsClamped) {
  for (int y = 60; y < 200; y += 9)
    for (int u = 110; u < 146; u += 5)
      for (int v = 110; v < 146; v += 5) {
        cv::Mat i420(3, 2, CV_8U), bgr;
        i420.rowRange(0, 2).setTo(y);
        i420.at<std::uint8_t>(2, 0) = static_cast<std::uint8_t>(u);
        i420.at<std::uint8_t>(2, 1) = static_cast<std::uint8_t>(v);
        cv::cvtColor(i420, bgr, cv::COLOR_YUV2BGR_I420);
        const auto ours = BgrOf({}, {i420.at<std::uint8_t>(0, 0), i420.at<std::uint8_t>(2, 0),
                                     i420.at<std::uint8_t>(2, 1)});
        for (int c = 0; c < 3; ++c)
          ASSERT_NEAR(ours[static_cast<std::size_t>(c)], bgr.at<cv::Vec3b>(0, 0)[c], 1.01);
      }
}

// Pixels of a row, and the same as frames in the three layouts.
struct Frames {
  explicit Frames(std::size_t count, std::uint64_t seed) {
    testing::Random random(seed);
    const std::size_t pairs = (count + 1) / 2;
    for (std::size_t i = 0; i < count; ++i) y.push_back(random.Byte());
    for (std::size_t i = 0; i < pairs; ++i) {
      u.push_back(random.Byte());
      v.push_back(random.Byte());
      uv.insert(uv.end(), {u[i], v[i]});
      const std::uint8_t second = 2 * i + 1 < count ? y[2 * i + 1] : random.Byte();
      yuyv.insert(yuyv.end(), {y[2 * i], u[i], second, v[i]});
    }
  }
  std::vector<std::uint8_t> y, u, v, uv, yuyv;
};

void ExpectRow(const CompiledYuvQuadratic& compiled, const YuvRow& row, std::size_t count,
               const std::vector<std::uint8_t>& mask,
               const std::vector<std::uint8_t>& probability) {
  std::vector<std::uint8_t> m(count + 2, 77), p(count + 2, 77);
  compiled.MaskRow(row, count, &m[1]);
  compiled.ProbabilityRow(row, count, &p[1]);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(m[i + 1], mask[i]) << i << " of " << count;
    ASSERT_EQ(p[i + 1], probability[i]) << i << " of " << count;
  }
  ASSERT_TRUE(m[0] == 77 && m[count + 1] == 77 && p[0] == 77 && p[count + 1] == 77);
}

TEST(Yuv, LayoutLengthAndTargetDoNotMatter) {
  const CompiledYuvQuadratic compiled(Quadratic(testing::Trained(Kind::kQda, "BGR")), {}, -1);
  for (const std::string& name : UsableTargets()) {
    const testing::ForcedTarget target(name);
    for (std::size_t count = 0; count <= 200; ++count) {
      const Frames f(count, count);
      // Pixel by pixel.
      std::vector<std::uint8_t> mask(count), probability(count);
      for (std::size_t i = 0; i < count; ++i) {
        const YuvRow pixel{Layout::kI422, {&f.y[i], &f.u[i / 2], &f.v[i / 2]}};
        compiled.MaskRow(pixel, 1, &mask[i]);
        compiled.ProbabilityRow(pixel, 1, &probability[i]);
      }
      for (const YuvRow& row : {YuvRow{Layout::kI422, {f.y.data(), f.u.data(), f.v.data()}},
                                {Layout::kNv12, {f.y.data(), f.uv.data()}},
                                {Layout::kYuyv, {f.yuyv.data()}}})
        ExpectRow(compiled, row, count, mask, probability);
    }
  }
}

TEST(Yuv, ChromaMayBeOfEveryPixel) {
  const CompiledYuvQuadratic compiled(Quadratic(testing::Trained(Kind::kQda, "BGR")), {}, -1);
  for (const std::string& name : UsableTargets()) {
    const testing::ForcedTarget target(name);
    for (std::size_t count = 0; count <= 200; ++count) {
      const Frames f(2 * count, count);  // whose u and v have `count` bytes
      std::vector<std::uint8_t> mask(count), probability(count);
      for (std::size_t i = 0; i < count; ++i) {
        const YuvRow pixel{Layout::kI422, {&f.y[i], &f.u[i], &f.v[i]}};
        compiled.MaskRow(pixel, 1, &mask[i]);
        compiled.ProbabilityRow(pixel, 1, &probability[i]);
      }
      ExpectRow(compiled, {Layout::kI444, {f.y.data(), f.u.data(), f.v.data()}}, count, mask,
                probability);
    }
  }
}

// Against the quadratic of the converted, neither rounded nor clamped colour, in double.
TEST(Yuv, IsTheQuadraticOfTheColorForEveryYuv) {
  const Quadratic of_bgr(testing::Trained(Kind::kQda, "YCrCb"));
  constexpr std::size_t kCount = 256;
  for (const YuvEncoding& encoding : kEncodings) {
    const CompiledYuvQuadratic compiled(of_bgr, encoding, -1);
    EXPECT_LT(compiled.ErrorBound(), 1e-2);
    std::array<Quadratic, 3> channels;
    for (std::size_t c = 0; c < 3; ++c) channels[c] = InYuv(Channel(c), encoding);
    std::vector<std::uint8_t> y(kCount), u(kCount / 2), v(kCount / 2), mask(kCount), p(kCount);
    for (std::size_t i = 0; i < kCount; ++i) y[i] = static_cast<std::uint8_t>(i);
    for (std::size_t uv = 0; uv < 65536; uv += 3) {
      std::fill(u.begin(), u.end(), static_cast<std::uint8_t>(uv));
      std::fill(v.begin(), v.end(), static_cast<std::uint8_t>(uv >> 8));
      compiled.MaskRow({Layout::kI422, {y.data(), u.data(), v.data()}}, kCount, mask.data());
      compiled.ProbabilityRow({Layout::kI422, {y.data(), u.data(), v.data()}}, kCount, p.data());
      for (std::size_t i = 0; i < kCount; i += 5) {
        const std::uint8_t yuv[3] = {y[i], u[0], v[0]};
        double d[3];
        for (std::size_t c = 0; c < 3; ++c) d[c] = channels[c](yuv) - 128;
        const auto& b = of_bgr.linear;
        const auto& a = of_bgr.product;
        const double z = of_bgr.constant + b[0] * d[0] + b[1] * d[1] + b[2] * d[2] +
                         a[0] * d[0] * d[0] + a[1] * d[0] * d[1] + a[2] * d[0] * d[2] +
                         a[3] * d[1] * d[1] + a[4] * d[1] * d[2] + a[5] * d[2] * d[2];
        if (std::abs(z + 1) > compiled.ErrorBound()) {
          ASSERT_EQ(mask[i], z > -1 ? 255 : 0);
        }
        ASSERT_NEAR(p[i], 255 * Logistic(z), 0.5 + 255 * (compiled.ErrorBound() / 4 + 1e-6));
      }
    }
  }
}

}  // namespace
}  // namespace skinmask
