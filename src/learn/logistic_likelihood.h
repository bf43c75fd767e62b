// The log-likelihood of logistic regression on a table, with its derivatives.
#pragma once

#include <Eigen/Core>
#include <utility>
#include <vector>

#include "learn/fit_kinds.h"

namespace skinmask::logistic {

constexpr int kMaxTerms = 10;  // 1, three features, six products
using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMaxTerms, 1>;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxTerms, kMaxTerms>;

struct Row {
  Vector t;  // 1, u, and products of u, the features standardised
  double weight;
  bool positive;
};

struct Scale {
  FeatureVector mean, deviation;
};

// Per pixel, with the ridge's penalty.
struct Likelihood {
  double value = 0;
  Vector gradient = Vector::Zero(kMaxTerms);
  Matrix information = Matrix::Zero(kMaxTerms, kMaxTerms);
  Likelihood& operator+=(const Likelihood& other) {
    value += other.value;
    gradient += other.gradient;
    information += other.information;
    return *this;
  }
};

// What is to be as likely as possible: the classes of a table given standardised terms.
class Problem {
 public:
  // The model's two classes have names. Throws Error where a channel never varies.
  Problem(const Samples& samples, const FitOptions& options, const Model& model);

  int terms() const { return 1 + size_ + static_cast<int>(products_.size()); }
  double total() const { return total_; }
  const std::vector<Row>& rows() const { return rows_; }

  // Of weights w; `information` only where asked for.
  Likelihood At(const Vector& w, bool information) const;
  // Of all pixels, without the penalty.
  double LogLikelihood(const Vector& w) const;
  // From weights on standardised terms to coefficients of the features.
  LogisticTerms Coefficients(const Vector& w) const;

 private:
  void AddTo(Likelihood& sum, const Row& row, const Vector& w, bool information) const;
  Row RowOf(const WeightedPoint& point, bool positive) const;

  const LogisticOptions& options_;
  int size_;
  std::vector<std::pair<int, int>> products_;
  double total_ = 0;
  Scale scale_;
  std::vector<Row> rows_;
};

}  // namespace skinmask::logistic
