#include "skinmask/model/feature_polynomial.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace skinmask {

double FeaturePolynomial::operator()(const FeatureVector& f) const {
  return constant + linear.dot(f) + f.dot(FeatureVector(product * f));
}

std::optional<FeaturePolynomial> DiscriminantOf(const Model& model, std::size_t class_index) {
  const bool linear = model.kind == Kind::kLda;
  if (!linear && model.kind != Kind::kQda && model.kind != Kind::kGaussianNb) return std::nullopt;
  const ClassModel& c = model.classes[class_index];
  const Eigen::LLT<FeatureMatrix> cholesky(c.covariance);
  const FeatureMatrix lower = cholesky.matrixL();
  const Eigen::Index size = c.mean.size();
  FeaturePolynomial d;
  d.linear = cholesky.solve(c.mean);
  d.constant = std::log(c.prior) - 0.5 * c.mean.dot(d.linear);
  d.product = FeatureMatrix::Zero(size, size);
  if (linear) return d;
  d.constant -= lower.diagonal().array().log().sum();
  const FeatureMatrix inverse = cholesky.solve(FeatureMatrix::Identity(size, size));
  d.product = -0.25 * (inverse + inverse.transpose());
  return d;
}

FeaturePolynomial LogisticPolynomial(const Model& model) {
  const LogisticTerms& terms = model.logistic;
  const int size = model.features.size();
  FeaturePolynomial z;
  z.constant =
      terms.constant + (std::log(model.classes[0].prior) - std::log(model.classes[1].prior));
  z.linear = terms.linear;
  z.product = FeatureMatrix::Zero(size, size);
  const double* at = terms.product.data();
  for (int i = 0; !terms.product.empty() && i < size; ++i)
    for (int j = i; j < size; ++j, ++at) {
      z.product(i, j) += *at / 2;
      z.product(j, i) += *at / 2;
    }
  return z;
}

std::optional<FeaturePolynomial> LogOddsOf(const Model& model) {
  std::optional<FeaturePolynomial> z;
  if (model.kind == Kind::kLogistic) {
    z = LogisticPolynomial(model);
  } else if (model.classes.size() == 2) {
    z = DiscriminantOf(model, 0);
    const std::optional<FeaturePolynomial> other = DiscriminantOf(model, 1);
    if (!z || !other) return std::nullopt;
    z->constant -= other->constant;
    z->linear -= other->linear;
    z->product -= other->product;
  } else {
    return std::nullopt;
  }
  const Calibration& calibration = model.calibration;
  z->constant = calibration.slope * z->constant + calibration.offset;
  z->linear *= calibration.slope;
  z->product *= calibration.slope;
  return z;
}

std::vector<double> WhereItIs(const FeaturePolynomial& polynomial, double value) {
  const double a = polynomial.product(0, 0), b = polynomial.linear(0);
  const double c = polynomial.constant - value;
  if (a == 0) return b == 0 ? std::vector<double>() : std::vector{-c / b};
  const double discriminant = b * b - 4 * a * c;
  if (!(discriminant >= 0)) return {};
  // Neither root by a difference of near numbers.
  const double q = -0.5 * (b + std::copysign(std::sqrt(discriminant), b));
  if (q == 0) return {0};
  std::vector<double> roots{q / a, c / q};
  std::ranges::sort(roots);
  if (roots[0] == roots[1]) roots.pop_back();
  return roots;
}

}  // namespace skinmask
