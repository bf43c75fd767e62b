// The log-likelihood of logistic regression on a table, and its derivatives.
#pragma once

#include <Eigen/Core>
#include <array>
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
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxTerms, kMaxTerms>;

// Values per pixel, with the ridge's penalty.
struct LogLikelihoodAt {
  double value = 0;
  Vector gradient;
  Matrix information;
};

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

// The maximisation problem: the classes of a table given standardised terms.
class Problem {
 public:
  // The model's two classes must have names. Throws Error if a channel never varies.
  Problem(const Samples& samples, const FitOptions& options, const Model& model);

  int terms() const { return static_cast<int>(form_.terms()); }
  double total() const { return total_; }
  // Standardised; the weights of the second class's points are negative.
  const PointPlanes& points() const { return points_; }
  Vector TermsOf(std::size_t point) const { return logistic::TermsOf(form_, points_, point); }

  // The log-likelihood at weights w; `information` only if requested.
  LogLikelihoodAt At(const Vector& w, bool information) const;
  // The log-likelihood of all pixels, without the penalty.
  double LogLikelihood(const Vector& w) const;
  FeatureTerms Coefficients(const Vector& w) const {
    return logistic::Coefficients(form_, scale_, w);
  }

 private:
  const LogisticOptions& options_;
  Polynomial form_;  // without weights
  double total_ = 0;
  Scale scale_;
  PointPlanes points_;
};

}  // namespace skinmask::logistic
