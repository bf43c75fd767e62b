#include <Eigen/Cholesky>
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
      size_(static_cast<std::size_t>(model.features.size())),
      matrix_{},
      offset_{} {
  // Plain arrays from here on: with three features at most, loops are what is fast.
  const auto copy = [&](const auto& from, auto& to) {
    for (int i = 0; i < from.rows(); ++i)
      for (int j = 0; j < from.cols(); ++j)
        to[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = from(i, j);
  };
  copy(model.features.Matrix(), matrix_);
  const FeatureVector offset = model.features.Offset();
  std::copy(offset.begin(), offset.end(), offset_.begin());
  for (const GaussianClass& c : model.classes) {
    Component component{};
    const FeatureMatrix lower = Eigen::LLT<FeatureMatrix>(c.covariance).matrixL();
    copy(lower, component.lower);
    std::copy(c.mean.begin(), c.mean.end(), component.mean.begin());
    component.constant = std::log(c.prior) - lower.diagonal().array().log().sum();
    classes_.push_back(component);
  }
}

void Reference::Discriminants(const std::int32_t* carrier, double* a) const noexcept {
  std::array<double, 3> f;
  for (std::size_t i = 0; i < size_; ++i)
    f[i] = matrix_[i][0] * carrier[0] + matrix_[i][1] * carrier[1] + matrix_[i][2] * carrier[2] +
           offset_[i];
  for (const Component& c : classes_) {
    // |w|^2 with L w = f - mean, by forward substitution.
    std::array<double, 3> w;
    double distance = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      w[i] = f[i] - c.mean[i];
      for (std::size_t j = 0; j < i; ++j) w[i] -= c.lower[i][j] * w[j];
      w[i] /= c.lower[i][i];
      distance += w[i] * w[i];
    }
    *a++ = c.constant - 0.5 * distance;
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
