// Outliers are the colours that no class explains (docs/math.md, 'Colours that no class explains').
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "skinmask/model/model.h"
#include "skinmask/model/quadratic.h"

namespace [[gnu::visibility("default")]] skinmask {

// x with P(X <= x) = share for a chi-squared variable X of 1, 2 or 3 degrees of freedom; `share` in
// (0, 1).
double ChiSquaredQuantile(double share, int degrees);

// (f - mean)' inverse(covariance) (f - mean) for the features f of an affine space, as a function
// of the bytes.
Quadratic SquaredDistance(const Features& features, const Gaussian& gaussian);

// Finds the pixels outside of every component's region of highest density that holds `share` of the
// component. For a Gaussian, these have a squared Mahalanobis distance above the chi-squared
// quantile, with as many degrees of freedom as features; for a histogram, they are outside of the
// fullest bins that hold this share of a class's training pixels. Priors do not matter.
class Outliers {
 public:
  // Throws Error for a logistic model, because it has no densities; for a model without classes;
  // unless 0 < share < 1; and if the channels of a histogram-nb model make more colours than a
  // histogram may have bins. In affine spaces Gaussians run as quadratics, in 0.3 ns per pixel and
  // Gaussian on one core with AVX-512. All other models use a table of 2 MiB, which takes about a
  // second to fill. With more than 8 Gaussians, or for fewer than 2^24 pixels, each colour is
  // computed when it first occurs.
  Outliers(const Model& model, double share,
           std::uint64_t expected_pixels = std::numeric_limits<std::uint64_t>::max());
  // The same for squared distances from Gaussians of three features, at least one.
  Outliers(std::span<const Quadratic> squared_distances, double share);

  // 255 where no class explains the pixel, else 0; as Posterior's rows.
  void Row(const std::uint8_t* bgr, std::size_t count, std::uint8_t* outlier) const noexcept;

 private:
  class ByColor;
  void FillTable(const ByColor& by_color);

  std::vector<FloatQuadratic> beyond_;  // squared distance less its limit, of each Gaussian
  std::shared_ptr<const std::vector<std::uint32_t>> bits_;  // a bit for each colour, or null
  std::shared_ptr<const ByColor> by_color_;                 // or null
};

}  // namespace skinmask
