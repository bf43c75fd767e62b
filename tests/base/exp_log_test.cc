// Powers of two and logarithms: of floats (pixels-inl.h) and of doubles (doubles-inl.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "base/exp_log_test.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "base/doubles-inl.h"
#include "base/pixels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace {

// The count is a multiple of every target's lanes here.
void Exp2Row(const float* x, std::size_t count, float* y) {
  for (std::size_t i = 0; i < count; i += kLanes)
    hn::StoreU(Exp2(hn::LoadU(FloatTag(), x + i)), FloatTag(), y + i);
}
void LogRow(const float* x, std::size_t count, float* y) {
  for (std::size_t i = 0; i < count; i += kLanes)
    hn::StoreU(Log(hn::LoadU(FloatTag(), x + i)), FloatTag(), y + i);
}
void DoubleExp2Row(const double* x, std::size_t count, double* y) {
  for (std::size_t i = 0; i < count; i += kDoubleLanes) StoreAt(Exp2(LoadAt(x + i)), y + i);
}
void DoubleLogRow(const double* x, std::size_t count, double* y) {
  for (std::size_t i = 0; i < count; i += kDoubleLanes) StoreAt(Log(LoadAt(x + i)), y + i);
}

}  // namespace
}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "support/world.h"

namespace skinmask {
namespace {

// Largest relative errors over a grid that no power of two divides. (docs/math.md states those over
// all floats, found by the same loop with step 1.)
TEST(Elementary, Exp2IsWithinItsBound) {
  std::vector<float> x, y;
  for (std::uint32_t bits = 0x32000000; bits < 0x3F000000; bits += 997)  // 2^-27 .. 1/2
    for (std::uint32_t sign : {0u, 0x80000000u}) x.push_back(std::bit_cast<float>(bits | sign));
  for (float far : {0.f, 1.f, -126.f, 126.f, 200.f, -1e30f}) x.push_back(far);
  while (x.size() % 64 != 0) x.push_back(0);
  y.resize(x.size());
  SKINMASK_DISPATCH(Exp2Row)(x.data(), x.size(), y.data());
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double exact = std::exp2(std::clamp<double>(x[i], -126, 126));
    worst = std::max(worst, std::abs(y[i] / exact - 1));
  }
  EXPECT_LT(worst, 0x1p-22);
  EXPECT_GT(worst, 0x1p-25);
}

TEST(Elementary, LogIsWithinItsBound) {
  std::vector<float> x, y;
  for (std::uint32_t bits = 0x3F800000; bits < 0x42800000; bits += 499)  // 1 .. 64
    x.push_back(std::bit_cast<float>(bits));
  while (x.size() % 64 != 0) x.push_back(1);
  y.resize(x.size());
  SKINMASK_DISPATCH(LogRow)(x.data(), x.size(), y.data());
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_NEAR(y[i], std::log(static_cast<double>(x[i])), 0x1p-22 * std::log(x[i])) << x[i];
}

// Random numbers, where a grid of all is out of reach, against the C library's.
TEST(Elementary, DoublesAreWithinTheirBounds) {
  testing::Random random(4);
  constexpr std::size_t kCount = 1 << 20;
  std::vector<double> x, y(kCount);
  while (x.size() < kCount) x.push_back((2 * random.Uniform() - 1) * (x.size() % 2 ? 1 : 990));
  for (const double far : {0., 0.5, -0.5, 1000., -1000.}) x.insert(x.begin(), far);
  SKINMASK_DISPATCH(DoubleExp2Row)(x.data(), kCount, y.data());
  double worst = 0;
  for (std::size_t i = 0; i < kCount; ++i)
    worst = std::max(worst, std::abs(y[i] / std::exp2(x[i]) - 1));
  EXPECT_LT(worst, 0x1p-50);
  x.assign({-1e9, 1e9});
  x.resize(kCount);
  SKINMASK_DISPATCH(DoubleExp2Row)(x.data(), kCount, y.data());
  EXPECT_EQ(y[0], std::exp2(-1000.));
  EXPECT_EQ(y[1], std::exp2(1000.));
  for (std::size_t i = 0; i < kCount; ++i)
    x[i] = i % 2 ? 1 + std::exp2(-50 * random.Uniform()) : std::exp2(30 * random.Uniform());
  SKINMASK_DISPATCH(DoubleLogRow)(x.data(), kCount, y.data());
  for (std::size_t i = 0; i < kCount; ++i)
    ASSERT_NEAR(y[i], std::log(x[i]), 0x1p-50 * std::log(x[i])) << x[i];
}

}  // namespace
}  // namespace skinmask
#endif
