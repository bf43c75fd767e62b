#include "skinmask/data/moments.h"

#include <valarray>

#include "base/parallel_rows.h"
#include "data/carriers.h"

namespace skinmask {
namespace {

constexpr std::size_t kPair[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

}  // namespace

void Moments::Add(const std::int32_t* carrier, std::uint64_t count) {
  n += count;
  // Carriers are at most 2^20, so products with small counts fit into 64 bits.
  constexpr std::uint64_t kSmall = 1 << 22;
  const auto add = [&](auto weight) {
    for (std::size_t i = 0; i < 3; ++i) {
      const auto weighted = weight * carrier[i];
      sum[i] += weighted;
      for (std::size_t j = i; j < 3; ++j) product[kPair[i][j]] += weighted * carrier[j];
    }
  };
  count < kSmall ? add(static_cast<std::int64_t>(count)) : add(static_cast<Int128>(count));
}

Moments& Moments::operator+=(const Moments& other) {
  n += other.n;
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += other.sum[i];
  for (std::size_t i = 0; i < product.size(); ++i) product[i] += other.product[i];
  return *this;
}

Eigen::Vector3d Moments::Mean() const {
  const auto sum_of = [this](std::size_t i) { return static_cast<double>(sum[i]); };
  return Eigen::Vector3d(sum_of(0), sum_of(1), sum_of(2)) / static_cast<double>(n);
}

Eigen::Matrix3d Moments::Covariance() const {
  const double n_squared = static_cast<double>(static_cast<Int128>(n) * n);
  Eigen::Matrix3d covariance;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      covariance(static_cast<int>(i), static_cast<int>(j)) =
          static_cast<double>(static_cast<Int128>(n) * product[kPair[i][j]] - sum[i] * sum[j]) /
          n_squared;
  return covariance;
}

std::vector<Moments> MomentsOf(const Samples& samples, const ColorSpace& space) {
  constexpr std::size_t kGrain = 1 << 15;
  using Sums = std::valarray<Moments>;  // of each class
  const Sums sums = SumOver(samples.rows().size(), kGrain, Sums(samples.classes().size()),
                            [&](std::size_t first, std::size_t last, Sums& moments) {
                              const std::span rows(&samples.rows()[first], last - first);
                              ForEachCarrier(rows, space, [&](std::size_t i, const auto* carrier) {
                                moments[rows[i].class_index].Add(carrier, rows[i].count);
                              });
                            });
  return {std::begin(sums), std::end(sums)};
}

}  // namespace skinmask
