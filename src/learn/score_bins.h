// The bins of log-odds in which scores are counted.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace skinmask {

// A bin is given by a float's upper bits: steps of equal width within each octave.
constexpr int kMantissaBits = 12;
constexpr int kShift = 23 - kMantissaBits;
constexpr float kMaxMagnitude = 1 << 18;
constexpr std::uint32_t kOne = std::bit_cast<std::uint32_t>(1.0f) >> kShift;
constexpr std::uint32_t kLastStep =
    (std::bit_cast<std::uint32_t>(kMaxMagnitude + 1) >> kShift) - kOne;
constexpr std::size_t kHalfOfBins = kLastStep + 1;

// Bins [0, kHalfOfBins) hold z <= 0 from -cap up, [kHalfOfBins, 2 kHalfOfBins) hold z > 0. Each has
// its upper edge and not its lower one, because pixels are positive whose z is above a threshold.
// (So many have z = 0 exactly: colours without any data.)
inline std::size_t BinOf(float z) {
  // A NaN, which only a model with absurd parameters gives, fails the comparison and counts as the
  // cap.
  const float magnitude = (std::abs(z) < kMaxMagnitude ? std::abs(z) : kMaxMagnitude) + 1;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(magnitude);
  if (!(z > 0)) return kHalfOfBins - 1 - ((bits >> kShift) - kOne);
  // (The sum of 1 and a small z may be 1.)
  return kHalfOfBins + (std::max(bits - 1, kOne << kShift) >> kShift) - kOne;
}

inline double LowerEdge(std::size_t bin) {
  const bool negative = bin < kHalfOfBins;
  const auto step = static_cast<std::uint32_t>(negative ? kHalfOfBins - bin : bin - kHalfOfBins);
  const double magnitude = std::bit_cast<float>((step + kOne) << kShift) - 1.;
  return negative ? -magnitude : magnitude;
}

// The number nearest to 0 in low..high.
inline double ThresholdBetween(double low, double high) {
  return std::clamp(0., low, std::max(low, high));
}

// Absent if it is 0/0.
template <class Number>
std::optional<double> Ratio(Number part, std::uint64_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

constexpr double kFixedPoint = 4294967296.;  // 2^32, the unit of sums of squared errors

}  // namespace skinmask
