// Random numbers and Student's t, defined here because the distributions of <random> differ between
// standard libraries.
#pragma once

#include <cstddef>
#include <cstdint>

namespace [[gnu::visibility("default")]] skinmask {

// The output function of SplitMix64 (Steele, Lea and Flood 2014), a bijection.
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

  // A sample of the standard normal distribution, computed by comparisons of uniform numbers only,
  // so that it is the same on every CPU (C. F. F. Karney, 'Sampling exactly from the normal
  // distribution', 2016, algorithm N): k + x with a random sign, where k and x have the densities
  // exp(-k^2/2) and exp(-x (2 k + x) / 2).
  double Normal() {
    for (;;) {
      int k = 0;
      while (Below(0.5)) ++k;
      bool taken = true;
      for (int i = 0; i < k * (k - 1) && taken; ++i) taken = Below(0.5);
      const double x = Uniform();
      for (int i = 0; i <= k && taken; ++i) taken = Below(x * (2 * k + x) / (2 * k + 2));
      if (taken) return Uniform() < 0.5 ? k + x : -(k + x);
    }
  }

 private:
  // Returns true with probability exp(-t), 0 <= t <= 1 (von Neumann): draws uniform numbers until
  // one is not below its predecessor (the first predecessor is t), and returns true if an even
  // number of them were below.
  bool Below(double t) {
    for (bool even = true;; even = !even) {
      const double next = Uniform();
      if (next >= t) return even;
      t = next;
    }
  }

  std::uint64_t state_;
};

// The quantile of Student's t distribution, for intervals from few values: the t below which
// `share` of the distribution lies (1/2 <= share < 1). More than 1000 degrees of freedom count as
// 1000, which makes the interval wider by a thousandth.
double StudentQuantile(double share, std::size_t degrees);

}  // namespace skinmask
