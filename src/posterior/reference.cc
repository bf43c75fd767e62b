#include <algorithm>
#include <cmath>
#include <limits>

#include "skinmask/posterior.h"
#include "skinmask/samples.h"

namespace skinmask {

double Logit(double probability) { return std::log(probability) - std::log1p(-probability); }

double Logistic(double log_odds) {
  if (log_odds >= 0) return 1 / (1 + std::exp(-log_odds));
  const double e = std::exp(log_odds);
  return e / (1 + e);
}

Reference::Reference(const Model& model)
    : space_(&model.features.space()),
      matrix_(model.features.Matrix()),
      offset_(model.features.Offset()) {
  for (const GaussianClass& c : model.classes) {
    Component component{0, c.mean, Eigen::LLT<FeatureMatrix>(c.covariance)};
    const FeatureMatrix lower = component.cholesky.matrixL();
    component.constant = std::log(c.prior) - lower.diagonal().array().log().sum();
    classes_.push_back(std::move(component));
  }
}

void Reference::Discriminants(const std::int32_t* carrier, double* a) const noexcept {
  const FeatureVector f = matrix_ * Eigen::Vector3d(carrier[0], carrier[1], carrier[2]) + offset_;
  for (const Component& c : classes_) {
    const FeatureVector whitened = c.cholesky.matrixL().solve(f - c.mean);
    *a++ = c.constant - 0.5 * whitened.squaredNorm();
  }
}

void Reference::LogOddsRow(const std::int32_t* carrier, std::size_t count,
                           double* z) const noexcept {
  std::array<double, kMaxClasses> a;
  for (std::size_t i = 0; i < count; ++i) {
    Discriminants(carrier + 3 * i, a.data());
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 1; k < classes_.size(); ++k) largest = std::max(largest, a[k]);
    double sum = 0;
    for (std::size_t k = 1; k < classes_.size(); ++k) sum += std::exp(a[k] - largest);
    z[i] = a[0] - largest - std::log(sum);
  }
}

std::vector<double> Reference::Posteriors(std::uint8_t b, std::uint8_t g, std::uint8_t r) const {
  const std::uint8_t bgr[3] = {b, g, r};
  std::int32_t carrier[3];
  CarrierRow(*space_, bgr, 1, carrier);
  std::vector<double> p(classes_.size());
  Discriminants(carrier, p.data());
  const double largest = *std::max_element(p.begin(), p.end());
  double sum = 0;
  for (double& value : p) sum += value = std::exp(value - largest);
  for (double& value : p) value /= sum;
  return p;
}

double Reference::LogOdds(std::uint8_t b, std::uint8_t g, std::uint8_t r) const {
  const std::uint8_t bgr[3] = {b, g, r};
  std::int32_t carrier[3];
  CarrierRow(*space_, bgr, 1, carrier);
  double z;
  LogOddsRow(carrier, 1, &z);
  return z;
}

}  // namespace skinmask
