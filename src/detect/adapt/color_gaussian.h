// Gaussians of colours (B, G, R), from exact moments.
#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "skinmask/data/moments.h"

namespace skinmask {

struct ColorGaussian {
  double n = 0;  // pixels, or shares of them
  Eigen::Vector3d mean;
  Eigen::Matrix3d covariance;
};

inline constexpr std::size_t kMinPixels = 20;  // to fit a Gaussian to

inline Eigen::Vector3d Color(const std::uint8_t* bgr) {
  return {double(bgr[0]), double(bgr[1]), double(bgr[2])};
}

inline void AddTo(Moments& moments, const std::uint8_t* bgr, std::uint64_t count = 1) {
  const std::int32_t carrier[3] = {bgr[0], bgr[1], bgr[2]};
  moments.Add(carrier, count);
}

// `unit` is the count of a whole pixel; the floor is added to the variance of each channel.
inline ColorGaussian FromMoments(const Moments& moments, double unit, double covariance_floor) {
  return {static_cast<double>(moments.n) / unit, moments.Mean(),
          moments.Covariance() + covariance_floor * Eigen::Matrix3d::Identity()};
}

inline double SquaredMahalanobis(const Eigen::Vector3d& x, const Eigen::Vector3d& mean,
                                 const Eigen::Matrix3d& precision) {
  return (x - mean).dot(precision * (x - mean));
}

// The moments of both together, the share `rate` of the second one.
inline void Blend(ColorGaussian& gaussian, const ColorGaussian& target, double rate) {
  const Eigen::Vector3d step = target.mean - gaussian.mean;
  gaussian.n += rate * (target.n - gaussian.n);
  gaussian.covariance += rate * (target.covariance - gaussian.covariance) +
                         rate * (1 - rate) * step * step.transpose();
  gaussian.mean += rate * step;
}

}  // namespace skinmask
