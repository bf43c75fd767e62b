// Outliers finds the colours that no class explains (docs/math.md, 'Colours that no class
// explains').
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

// (f - mean)' inverse(covariance) (f - mean) of features f in an affine space, as a function of the
// bytes.
Quadratic SquaredDistance(const Features& features, const Gaussian& gaussian);

// Tells the pixels that lie outside of every component's region of highest density that holds
// `share` of it: for a Gaussian, a squared Mahalanobis distance beyond the chi-squared quantile of
// as many degrees of freedom as it has features; for a histogram, a bin beyond the fullest that
// hold this share of a class's training pixels. What prior a class has does not matter.
class Outliers {
 public:
  // Throws Error for a logistic model, which has no densities, and one without classes, unless
  // 0 < share < 1, and where the channels of a histogram-nb model make more colours than a
  // histogram may have bins. In affine spaces Gaussians run as quadratics, 0.3 ns a pixel and
  // Gaussian on one core with AVX-512; all else is looked up in a table of 2 MiB, which takes about
  // a second to fill. Of more than 8 Gaussians, or for fewer than 2^24 pixels, each colour is
  // judged when it is first met.
  Outliers(const Model& model, double share,
           std::uint64_t expected_pixels = std::numeric_limits<std::uint64_t>::max());
  // The same of squared distances from Gaussians of three features, at least one.
  Outliers(std::span<const Quadratic> squared_distances, double share);

  // 255 where no class explains the pixel, else 0; as Posterior's rows.
  void Row(const std::uint8_t* bgr, std::size_t count, std::uint8_t* outlier) const noexcept;

 private:
  class ByColor;
  void FillTable(const ByColor& by_color);

  std::vector<FloatQuadratic> beyond_;  // squared distance less its limit, of each Gaussian
  std::shared_ptr<const std::vector<std::uint32_t>> bits_;  // of each colour, or none
  std::shared_ptr<const ByColor> by_color_;                 // or none
};

}  // namespace skinmask
