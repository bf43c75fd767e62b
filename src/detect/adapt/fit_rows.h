// EStep is the expectation step of the fit to an image, over pixels in planes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "detect/adapt/color_gaussian.h"
#include "skinmask/model/mixture.h"

namespace skinmask {

// The pixels that a mixture is fitted to, in the form that the row functions take.
class FitPixels {
 public:
  void Reserve(std::size_t count);
  // `log_odds` are the pixel's log-odds of skin from everything but its colour.
  void Add(const std::uint8_t* bgr, float log_odds);
  // Fills up the last block with pixels of weight 0. Add must not be called afterwards.
  void Finish();

  std::size_t count() const { return count_; }           // without the filling
  std::size_t padded_count() const { return b.size(); }  // a multiple of kBlock

  static constexpr std::size_t kBlock = 64;
  // 2^24 (byte - 128), as FloatQuadratic takes them; binary logarithms of odds; weights, 1, or 0
  // for filling.
  std::vector<float> b, g, r, log2_odds, weight;

 private:
  std::size_t count_ = 0;
};

// n, mean and covariance of the pixels of each component, weighted by their responsibilities (of
// maximum likelihood; mean and covariance are undefined where n is 0). A pixel's probability of
// class 0 is the logistic function of local_weight times the mixture's log-odds plus its
// `log_odds`. `means` (B, G, R) are those of the components of `mixture`, in the same order, class
// 0 first; sums are taken about them. The same result on every CPU: 16 partial sums, whatever the
// vector length, are added in a fixed order.
std::vector<ColorGaussian> EStep(const FitPixels& pixels, const CompiledMixture& mixture,
                                 const std::vector<Eigen::Vector3d>& means, double local_weight);

}  // namespace skinmask
