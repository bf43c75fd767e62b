#include "skinmask/data/moments.h"

#include <gtest/gtest.h>

#include "support/world.h"

namespace skinmask {
namespace {

using testing::DrawSamples;
using testing::Random;

TEST(Moments, AreExactWhereDoublesAreNot) {
  // Two values one apart, far from 0, 2^42 pixels: a running double sum would lose the variance.
  Moments moments;
  const std::int32_t low[3] = {1048575, 0, 7}, high[3] = {1048576, 0, 7};
  moments.Add(low, std::uint64_t{1} << 41);
  moments.Add(high, std::uint64_t{1} << 41);
  EXPECT_EQ(moments.Mean()(0), 1048575.5);
  EXPECT_EQ(moments.Covariance()(0, 0), 0.25);
  EXPECT_EQ(moments.Covariance()(2, 2), 0);
}

// The greatest carriers, and counts on both sides of where products of 64 bits end.
TEST(Moments, OfManyPixelsAreThoseOfEachAlone) {
  constexpr std::uint64_t kEdge = 1 << 22;
  const std::int32_t carrier[3] = {1 << 20, (1 << 20) - 1, 3};
  for (const std::uint64_t count : {kEdge - 1, kEdge, kEdge + 1, std::uint64_t{1} << 43}) {
    Moments moments;
    moments.Add(carrier, count);
    const Int128 n = static_cast<Int128>(count);
    EXPECT_EQ(moments.n, count);
    EXPECT_TRUE(moments.sum[1] == n * carrier[1]) << count;
    EXPECT_TRUE(moments.product[0] == n * carrier[0] * carrier[0]) << count;
    EXPECT_TRUE(moments.product[1] == n * carrier[0] * carrier[1]) << count;
    EXPECT_TRUE(moments.product[5] == n * 9) << count;
  }
}

TEST(Moments, AgreeWithTwoPassesInLongDouble) {
  const Samples samples = DrawSamples(2);
  const std::vector<Moments> moments = MomentsOf(samples, ColorSpaces()[0]);
  for (std::size_t k = 0; k < 2; ++k) {
    long double n = 0, mean[3] = {}, covariance[3][3] = {};
    for (int pass = 0; pass < 2; ++pass) {
      for (const SampleRow& row : samples.rows()) {
        if (row.class_index != k) continue;
        const long double x[3] = {row.b - mean[0], row.g - mean[1], row.r - mean[2]};
        for (int i = 0; i < 3; ++i) {
          if (pass == 0) continue;
          for (int j = 0; j < 3; ++j)
            covariance[i][j] += static_cast<long double>(row.count) * x[i] * x[j] / n;
        }
      }
      if (pass > 0) break;
      n = static_cast<long double>(samples.Total(k));
      long double sum[3] = {};
      for (const SampleRow& row : samples.rows()) {
        if (row.class_index != k) continue;
        sum[0] += static_cast<long double>(row.count) * row.b;
        sum[1] += static_cast<long double>(row.count) * row.g;
        sum[2] += static_cast<long double>(row.count) * row.r;
      }
      for (int i = 0; i < 3; ++i) mean[i] = sum[i] / n;
    }
    for (int i = 0; i < 3; ++i) {
      EXPECT_DOUBLE_EQ(moments[k].Mean()(i), static_cast<double>(mean[i]));
      for (int j = 0; j < 3; ++j)
        EXPECT_NEAR(moments[k].Covariance()(i, j), static_cast<double>(covariance[i][j]), 1e-11);
    }
  }
}

TEST(Moments, AddUpToTheSameObjectInAnyOrder) {
  Random random(9);
  std::vector<std::array<std::int32_t, 3>> pixels(1000);
  for (auto& p : pixels) p = {random.Byte(), random.Byte(), random.Byte()};
  Moments forward, backward, left, right;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    forward.Add(pixels[i].data(), i);
    backward.Add(pixels[pixels.size() - 1 - i].data(), pixels.size() - 1 - i);
    (i % 3 ? left : right).Add(pixels[i].data(), i);
  }
  EXPECT_EQ(forward, backward);
  EXPECT_EQ(forward, left += right);
}

}  // namespace
}  // namespace skinmask
