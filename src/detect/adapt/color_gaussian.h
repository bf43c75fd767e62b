// A ColorGaussian is a Gaussian of colours (B, G, R).
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>

namespace skinmask {

struct ColorGaussian {
  double n = 0;  // a number of pixels, or a weight
  Eigen::Vector3d mean;
  Eigen::Matrix3d covariance;
};

inline constexpr std::size_t kMinPixels = 20;  // a Gaussian is fitted to at least these

inline Eigen::Vector3d Color(const std::uint8_t* bgr) {
  return {double(bgr[0]), double(bgr[1]), double(bgr[2])};
}

// Exact sums over pixels: every order gives the same Gaussian.
class ByteSums {
 public:
  void Add(const std::uint8_t* bgr) {
    const std::int64_t b = bgr[0], g = bgr[1], r = bgr[2];
    ++n_;
    sum_[0] += b, sum_[1] += g, sum_[2] += r;
    product_[0] += b * b, product_[1] += b * g, product_[2] += b * r;
    product_[3] += g * g, product_[4] += g * r, product_[5] += r * r;
  }

  std::size_t n() const { return static_cast<std::size_t>(n_); }

  // The Gaussian of maximum likelihood, with the floor added to the variance of each channel. Needs
  // at least one pixel.
  ColorGaussian Gaussian(double covariance_floor) const {
    const auto share = [n = static_cast<double>(n_)](std::int64_t sum) {
      return static_cast<double>(sum) / n;
    };
    ColorGaussian g{static_cast<double>(n_), {share(sum_[0]), share(sum_[1]), share(sum_[2])}, {}};
    g.covariance << share(product_[0]), share(product_[1]), share(product_[2]),  //
        share(product_[1]), share(product_[3]), share(product_[4]),              //
        share(product_[2]), share(product_[4]), share(product_[5]);
    g.covariance += covariance_floor * Eigen::Matrix3d::Identity() - g.mean * g.mean.transpose();
    return g;
  }

 private:
  std::int64_t n_ = 0, sum_[3] = {}, product_[6] = {};  // bb bg br gg gr rr
};

inline double SquaredMahalanobis(const Eigen::Vector3d& x, const Eigen::Vector3d& mean,
                                 const Eigen::Matrix3d& precision) {
  return (x - mean).dot(precision * (x - mean));
}

// An approximation of the axis of greatest variance: one step of the power method from the channel
// of greatest variance.
inline Eigen::Vector3d PrincipalAxis(const Eigen::Matrix3d& covariance) {
  int channel = 0;
  covariance.diagonal().maxCoeff(&channel);
  return (covariance * covariance.col(channel)).normalized();
}

// The moments of the mixture of both, in which the second has the share `rate`.
inline void Blend(ColorGaussian& gaussian, const ColorGaussian& target, double rate) {
  const Eigen::Vector3d step = target.mean - gaussian.mean;
  gaussian.n += rate * (target.n - gaussian.n);
  gaussian.covariance += rate * (target.covariance - gaussian.covariance) +
                         rate * (1 - rate) * step * step.transpose();
  gaussian.mean += rate * step;
}

// The Gaussian of the pixels of both.
inline ColorGaussian Joined(ColorGaussian a, const ColorGaussian& b) {
  const double n = a.n + b.n;
  Blend(a, b, b.n / n);
  a.n = n;
  return a;
}

}  // namespace skinmask
