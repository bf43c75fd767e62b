// Moments are exact first and second moments of integer carriers (docs/math.md, 'Exact
// statistics').
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>

#include "skinmask/base/int128.h"
#include "skinmask/data/color.h"
#include "skinmask/data/samples.h"

namespace [[gnu::visibility("default")]] skinmask {

// n, sum of x and sum of x x' over pixels, x a carrier of three integers with |x| <= 2^20. Integer
// sums commute, so the result is the same to the last bit for any order of the pixels and any
// number of threads or parts. Exact while n <= Samples::kMaxTotal = 2^43 (n * sum x^2 <= 2^43 *
// 2^43 * 2^40 < 2^127).
struct Moments {
  std::uint64_t n = 0;
  std::array<Int128, 3> sum{};
  std::array<Int128, 6> product{};  // xx xy xz yy yz zz

  void Add(const std::int32_t* carrier, std::uint64_t count);
  Moments& operator+=(const Moments& other);
  bool operator==(const Moments&) const = default;

  // Maximum-likelihood mean and covariance of the carrier; n > 0. Each entry is the exact rational
  // number, rounded, because numerator and denominator are computed in integers.
  Eigen::Vector3d Mean() const;
  Eigen::Matrix3d Covariance() const;
};

// Moments of each class of the table, in the order of samples.classes().
std::vector<Moments> MomentsOf(const Samples& samples, const ColorSpace& space);

}  // namespace skinmask
