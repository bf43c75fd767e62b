#include "detect/adapt/background.h"

#include <Eigen/LU>
#include <algorithm>

namespace skinmask {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// A group of colours, and how it is best divided.
struct Part {
  std::vector<const std::uint8_t*> pixels;
  ColorGaussian gaussian;
  Vector3d axis;
  double spread;  // along the axis, times pixels

  Part(std::vector<const std::uint8_t*> members, double covariance_floor)
      : pixels(std::move(members)) {
    ByteSums sums;
    for (const std::uint8_t* p : pixels) sums.Add(p);
    gaussian = sums.Gaussian(covariance_floor);
    int channel = 0;
    gaussian.covariance.diagonal().maxCoeff(&channel);
    // A step of the power method from the channel of greatest variance: near the principal axis.
    axis = (gaussian.covariance * gaussian.covariance.col(channel)).normalized();
    spread = gaussian.n * axis.dot(gaussian.covariance * axis);
  }
};

}  // namespace

std::vector<ColorGaussian> PrincipalSplit(std::vector<const std::uint8_t*> pixels,
                                          const ImageFitOptions& options) {
  const double floor = options.background_covariance_floor;
  std::vector<Part> parts{Part(std::move(pixels), floor)};
  while (static_cast<int>(parts.size()) < options.background_components) {
    const auto widest = std::ranges::max_element(parts, {}, &Part::spread);
    std::vector<const std::uint8_t*> sides[2];
    for (const std::uint8_t* p : widest->pixels)
      sides[(Color(p) - widest->gaussian.mean).dot(widest->axis) > 0].push_back(p);
    if (sides[0].empty() || sides[1].empty()) break;
    *widest = Part(std::move(sides[0]), floor);
    parts.emplace_back(std::move(sides[1]), floor);
  }
  std::vector<ColorGaussian> gaussians;
  for (const Part& part : parts) gaussians.push_back(part.gaussian);
  return gaussians;
}

std::vector<ColorGaussian> InitialBackground(const std::vector<const std::uint8_t*>& pixels,
                                             std::span<const ColorGaussian> skin,
                                             const ImageFitOptions& options) {
  std::vector<Matrix3d> precisions;
  const double shade = options.skin_shade * options.skin_shade;
  for (const ColorGaussian& g : skin)
    precisions.push_back((g.covariance + shade * g.mean * g.mean.transpose()).inverse());
  std::vector<const std::uint8_t*> far;
  const double least = options.background_min_distance;
  for (const std::uint8_t* pixel : pixels) {
    const Vector3d color = Color(pixel);
    bool is_far = true;
    for (std::size_t i = 0; i < skin.size() && is_far; ++i)
      is_far = SquaredMahalanobis(color, skin[i].mean, precisions[i]) > least;
    if (is_far) far.push_back(pixel);
  }
  if (far.size() < kMinPixels) return {};
  return PrincipalSplit(std::move(far), options);
}

}  // namespace skinmask
