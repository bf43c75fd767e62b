// The log-likelihood of logistic regression on a table, and its derivatives.
#pragma once

#include <Eigen/Cholesky>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "learn/fit_kinds.h"

namespace skinmask::logistic {

constexpr std::size_t kMaxTerms = 10;  // 1, three features, six products

// z = w_0 + sum over features w_(1+i) u_i + sum over products w u_i u_j, in this order.
struct Polynomial {
  std::size_t features = 0;
  std::vector<std::pair<std::size_t, std::size_t>> products;  // pairs of features
  std::array<double, kMaxTerms> w{};
  std::size_t terms() const { return 1 + features + products.size(); }
};

// Sums over the points, with t their terms: of log P(truth), of (y - P) t, and of P (1 - P) t t'
// (the lower triangle by rows: 00 10 11 20 ..). Each point counts |weight| times.
struct LikelihoodSums {
  double value = 0;
  std::array<double, kMaxTerms> gradient{};
  std::array<double, kMaxTerms*(kMaxTerms + 1) / 2> information{};
  LikelihoodSums& operator+=(const LikelihoodSums& other);
};

// Points of the positive class have weights above 0, the others below. In double, with the same
// bits for every CPU target and number of threads. Without `information` it stays 0. Cost: some 10
// ns a point on one core with AVX-512, half of it for the information.
LikelihoodSums Likelihood(const PointPlanes& points, const Polynomial& z, bool information);

using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMaxTerms, 1>;

// The polynomial's terms, with all weights 0.
Polynomial FormOf(LogisticOptions::Terms terms, int features);
// Throws Error if a channel never varies.
void Standardise(const Scale& scale, PointPlanes& points);
// The terms of a point of standardised features u: 1, u, and products of u.
Vector TermsOf(const Polynomial& form, const PointPlanes& points, std::size_t point);
// `information` is that of weights 0. Throws Error if the standardised terms are linearly
// dependent, because then no weights are the best.
void RequireIndependentTerms(const Eigen::MatrixXd& information);
// Converts weights of standardised terms to coefficients of the features.
FeatureTerms Coefficients(const Polynomial& form, const Scale& scale, const Vector& w);

// The weights with the greatest likelihood, as far as a solver got.
template <class Weights>
struct Solution {
  Weights w;
  int iterations = 0;
  bool converged = false;
};

inline bool HardlyChanges(double before, double now, double tolerance) {
  return std::abs(now - before) <= tolerance * (std::abs(now) + 1e-300);
}

// Newton's method from weights 0, where the likelihood's value, gradient and information (the
// negative Hessian) are `at`; values_at(w) gives those of other weights, and `at` becomes those of
// the solution. A step that lowers the likelihood is halved. After each step, ends(before, step,
// solution) says whether it was the last one. Throws Error if the weights grow without bound.
template <class Weights, class Values, class ValuesAt, class Ends>
Solution<Weights> Newton(Values& at, int most, Iterations& watch, const ValuesAt& values_at,
                         const Ends& ends) {
  Solution<Weights> s{Weights::Zero(at.gradient.size())};
  while (s.iterations < most && !s.converged) {
    watch.RequireNotStopped();
    const Eigen::LDLT<decltype(at.information)> solver(at.information);
    const Weights step = solver.solve(at.gradient);
    if (solver.info() != Eigen::Success || !step.allFinite()) FailSeparable(s.iterations);
    ++s.iterations;
    const double before = at.value;
    double length = 1;
    for (at = values_at(s.w + step);
         !(at.value >= before - 1e-12 * std::abs(before)) && length > 2e-6;
         at = values_at(s.w + length * step))
      length /= 2;
    s.w += length * step;
    s.converged = ends(before, length * step, s);
    watch.Done(s.converged ? 0 : most - s.iterations);
  }
  return s;
}

}  // namespace skinmask::logistic
