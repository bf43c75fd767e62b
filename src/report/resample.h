// What bootstraps share: how they draw, and what they make of what they drew.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace skinmask {

// Of a report: as many resamples, from this seed.
inline constexpr int kResamples = 1000;
inline constexpr std::uint64_t kSeed = 1;

// An index below n, with equal chances. The standard fixes what the generator gives, but not what
// its distributions make of it.
inline std::size_t DrawIndex(std::mt19937_64& random, std::size_t n) {
  return ((random() >> 32) * n) >> 32;
}

// The quantile of sorted values, linear between them.
inline double Quantile(const std::vector<double>& sorted, double share) {
  const double position = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace skinmask
