// Gaussians from exact moments of colours.
#pragma once

#include "detect/adapt/image_fit.h"
#include "skinmask/data/moments.h"

namespace skinmask {

inline constexpr std::size_t kFewest = 20;  // pixels to fit a Gaussian to

inline Eigen::Vector3d Color(const std::uint8_t* bgr) {
  return {double(bgr[0]), double(bgr[1]), double(bgr[2])};
}

inline void AddTo(Moments& moments, const std::uint8_t* bgr, std::uint64_t count = 1) {
  const std::int32_t carrier[3] = {bgr[0], bgr[1], bgr[2]};
  moments.Add(carrier, count);
}

inline ColorGaussian FromMoments(const Moments& moments, double unit, double noise) {
  return {static_cast<double>(moments.n) / unit, moments.Mean(),
          moments.Covariance() + noise * Eigen::Matrix3d::Identity()};
}

// Squared Mahalanobis distance.
inline double Distance(const Eigen::Vector3d& x, const Eigen::Vector3d& mean,
                       const Eigen::Matrix3d& precision) {
  return (x - mean).dot(precision * (x - mean));
}

}  // namespace skinmask
