#include "skinmask/model/feature_polynomial.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace skinmask {

double FeaturePolynomial::operator()(const FeatureVector& f) const {
  return constant + linear.dot(f) + f.dot(FeatureVector(product * f));
}

namespace {

FeaturePolynomial PolynomialOf(const FeatureTerms& terms, double constant) {
  const Eigen::Index size = terms.linear.size();
  FeaturePolynomial z;
  z.constant = constant;
  z.linear = terms.linear;
  z.product = FeatureMatrix::Zero(size, size);
  const double* at = terms.product.data();
  for (Eigen::Index i = 0; !terms.product.empty() && i < size; ++i)
    for (Eigen::Index j = i; j < size; ++j, ++at) {
      z.product(i, j) += *at / 2;
      z.product(j, i) += *at / 2;
    }
  return z;
}

}  // namespace

std::optional<FeaturePolynomial> DiscriminantOf(const Model& model, std::size_t class_index) {
  if (model.kind == Kind::kLogistic && model.classes.size() > 2) {
    const ClassModel& its = model.classes[class_index];
    return PolynomialOf(its.terms, its.terms.constant + std::log(its.prior));
  }
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
  const double prior = std::log(model.classes[0].prior) - std::log(model.classes[1].prior);
  return PolynomialOf(model.logistic, model.logistic.constant + prior);
}

std::optional<FeaturePolynomial> LogOddsOf(const Model& model) {
  std::optional<FeaturePolynomial> z;
  if (model.classes.size() != 2) return std::nullopt;
  if (model.kind == Kind::kLogistic) {
    z = LogisticPolynomial(model);
  } else {
    z = DiscriminantOf(model, 0);
    const std::optional<FeaturePolynomial> other = DiscriminantOf(model, 1);
    if (!z || !other) return std::nullopt;
    z->constant -= other->constant;
    z->linear -= other->linear;
    z->product -= other->product;
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
  // Avoids the difference of nearly equal numbers for both roots.
  const double q = -0.5 * (b + std::copysign(std::sqrt(discriminant), b));
  if (q == 0) return {0};
  std::vector<double> roots{q / a, c / q};
  std::ranges::sort(roots);
  if (roots[0] == roots[1]) roots.pop_back();
  return roots;
}

}  // namespace skinmask
