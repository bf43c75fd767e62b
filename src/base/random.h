// Random numbers have a fixed definition here, as <random>'s distributions differ between
// libraries.
#pragma once

#include <cstdint>

namespace skinmask {

// The output function of SplitMix64 (Steele, Lea and Flood 2014): one-to-one.
constexpr std::uint64_t Mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

// SplitMix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t Next() { return Mix(state_ += 0x9E3779B97F4A7C15); }
  // In [0, 1), in steps of 2^-53.
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace skinmask
