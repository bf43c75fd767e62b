// The log-likelihood of logistic regression on a table, with its derivatives.
#pragma once

#include <Eigen/Core>

#include "learn/fit_kinds.h"
#include "learn/logistic_rows.h"

namespace skinmask::logistic {

using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMaxTerms, 1>;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxTerms, kMaxTerms>;

struct Scale {
  FeatureVector mean, deviation;
};

// Per pixel, with the ridge's penalty.
struct LogLikelihoodAt {
  double value = 0;
  Vector gradient;
  Matrix information;
};

// What is to be as likely as possible: the classes of a table given standardised terms.
class Problem {
 public:
  // The model's two classes have names. Throws Error where a channel never varies.
  Problem(const Samples& samples, const FitOptions& options, const Model& model);

  int terms() const { return static_cast<int>(form_.terms()); }
  double total() const { return total_; }
  // Standardised; the weights of the second class's points are negative.
  const PointPlanes& points() const { return points_; }
  // 1, u, and products of u, of a point.
  Vector TermsOf(std::size_t point) const;

  // Of weights w; `information` only where asked for.
  LogLikelihoodAt At(const Vector& w, bool information) const;
  // Of all pixels, without the penalty.
  double LogLikelihood(const Vector& w) const;
  // From weights on standardised terms to coefficients of the features.
  LogisticTerms Coefficients(const Vector& w) const;

 private:
  void Standardise(const PointPlanes& points, double sign, std::size_t first);

  const LogisticOptions& options_;
  Polynomial form_;  // without weights
  double total_ = 0;
  Scale scale_;
  PointPlanes points_;
};

}  // namespace skinmask::logistic
