// EStep is the expectation step of the fit to an image, over pixels in planes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "detect/adapt/color_gaussian.h"
#include "skinmask/model/mixture.h"

namespace skinmask {

// Pixels that a mixture is fitted to, as the row functions take them.
class FitPixels {
 public:
  void Reserve(std::size_t count);
  // `log_odds` of skin are what is known of the pixel beside its colour.
  void Add(const std::uint8_t* bgr, float log_odds);
  // Fills up the last block, with pixels that do not count. No more Add after it.
  void Finish();

  std::size_t count() const { return count_; }           // of those that count
  std::size_t padded_count() const { return b.size(); }  // a multiple of kBlock

  static constexpr std::size_t kBlock = 64;
  // 2^24 (byte - 128), as FloatQuadratic takes them; binary logarithms of odds; 1, or 0 where a
  // pixel does not count.
  std::vector<float> b, g, r, log2_odds, weight;

 private:
  std::size_t count_ = 0;
};

// Each component's pixels, weighted by their responsibilities: n, mean and covariance (of maximum
// likelihood; not to be used where n is 0). A pixel's probability of class 0 is the logistic
// function of local_weight times the mixture's log-odds plus what is known beside. `mixture` is of
// `means` (B, G, R), in the same order, those of class 0 first; sums are taken about them. The same
// on every CPU: 16 sums run side by side whatever the vectors, and are added in their order.
std::vector<ColorGaussian> EStep(const FitPixels& pixels, const CompiledMixture& mixture,
                                 const std::vector<Eigen::Vector3d>& means, double local_weight);

}  // namespace skinmask
