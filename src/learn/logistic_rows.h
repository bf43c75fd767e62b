// The log-likelihood of logistic regression and its derivatives, over points in planes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "learn/point_planes.h"

namespace skinmask::logistic {

constexpr std::size_t kMaxTerms = 10;  // 1, three features, six products

// z = w_0 + sum over features w_(1+i) u_i + sum over products w u_i u_j, in this order.
struct Polynomial {
  std::size_t features = 0;
  std::vector<std::pair<std::size_t, std::size_t>> products;  // of which features
  std::array<double, kMaxTerms> w{};
  std::size_t terms() const { return 1 + features + products.size(); }
};

// Sums over the points, t being their terms: of log P(truth), of (y - P) t, and of P (1 - P) t t'
// (the lower triangle by rows: 00 10 11 20 ..). Each point counts |weight| times.
struct LikelihoodSums {
  double value = 0;
  std::array<double, kMaxTerms> gradient{};
  std::array<double, kMaxTerms*(kMaxTerms + 1) / 2> information{};
  LikelihoodSums& operator+=(const LikelihoodSums& other);
};

// Points of the positive class have weights above 0, the others below. In double; the same bits for
// every CPU target and number of threads. `information` is left 0 unless asked for. Cost: some 10
// ns a point on one core with AVX-512, half of it for the information.
LikelihoodSums Likelihood(const PointPlanes& points, const Polynomial& z, bool information);

}  // namespace skinmask::logistic
