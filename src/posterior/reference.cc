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

Reference::Reference(const Model& model) : space_(&model.features.space()) {
  const FeatureMatrix matrix = model.features.Matrix();
  const FeatureVector offset = model.features.Offset();
  const Eigen::Index size = offset.size();
  for (Eigen::Index i = 0; i < size; ++i) {
    const auto place = static_cast<std::size_t>(i);
    offset_[place] = offset(i);
    for (Eigen::Index j = 0; j < 3; ++j) matrix_[place][static_cast<std::size_t>(j)] = matrix(i, j);
  }
  for (const GaussianClass& c : model.classes) {
    Eigen::Matrix3d lower = Eigen::Matrix3d::Identity();
    lower.topLeftCorner(size, size) = Eigen::LLT<FeatureMatrix>(c.covariance).matrixL();
    Eigen::Vector3d mean = Eigen::Vector3d::Zero();
    mean.head(size) = c.mean;
    classes_.push_back({std::log(c.prior) - lower.diagonal().array().log().sum(),
                        {mean(0), mean(1), mean(2)},
                        {lower(0, 0), lower(1, 0), lower(1, 1), lower(2, 0), lower(2, 1), lower(2, 2)}});
  }
}

std::array<double, 3> Reference::FeaturesOf(const std::int32_t* carrier) const noexcept {
  std::array<double, 3> f;
  for (std::size_t i = 0; i < 3; ++i)
    f[i] = matrix_[i][0] * carrier[0] + matrix_[i][1] * carrier[1] + matrix_[i][2] * carrier[2] +
           offset_[i];
  return f;
}

// (f - mu)' inverse(LL') (f - mu) is |w|^2 with Lw = f - mu, solved from the top.
double Reference::Discriminant(const Component& c, const std::array<double, 3>& f) noexcept {
  const double w0 = (f[0] - c.mean[0]) / c.cholesky[0];
  const double w1 = (f[1] - c.mean[1] - c.cholesky[1] * w0) / c.cholesky[2];
  const double w2 = (f[2] - c.mean[2] - c.cholesky[3] * w0 - c.cholesky[4] * w1) / c.cholesky[5];
  return c.constant - 0.5 * (w0 * w0 + w1 * w1 + w2 * w2);
}

void Reference::Discriminants(const std::int32_t* carrier, double* a) const noexcept {
  const std::array<double, 3> f = FeaturesOf(carrier);
  for (const Component& c : classes_) *a++ = Discriminant(c, f);
}

void Reference::LogOddsRow(const std::int32_t* carrier, std::size_t count,
                           double* z) const noexcept {
  // 255 classes at most, as in Samples.
  std::array<double, kMaxClasses> a;
  for (std::size_t i = 0; i < count; ++i) {
    Discriminants(carrier + 3 * i, a.data());
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 1; k < classes_.size(); ++k) largest = std::max(largest, a[k]);
    z[i] = a[0] - largest;
    if (classes_.size() == 2) continue;  // the sum is exp(0)
    double sum = 0;
    for (std::size_t k = 1; k < classes_.size(); ++k) sum += std::exp(a[k] - largest);
    z[i] -= std::log(sum);
  }
}

void Reference::LogOddsRow(const std::uint8_t* bgr, std::size_t count, double* z) const noexcept {
  constexpr std::size_t kBlock = 256;
  std::array<std::int32_t, 3 * kBlock> carrier;
  for (std::size_t done = 0; done < count; done += kBlock) {
    const std::size_t n = std::min(kBlock, count - done);
    CarrierRow(*space_, bgr + 3 * done, n, carrier.data());
    LogOddsRow(carrier.data(), n, z + done);
  }
}

void Reference::ClassRow(const std::uint8_t* bgr, std::size_t count,
                         std::uint8_t* index) const noexcept {
  std::array<double, kMaxClasses> a;
  for (std::size_t i = 0; i < count; ++i) {
    std::int32_t carrier[3];
    CarrierRow(*space_, bgr + 3 * i, 1, carrier);
    Discriminants(carrier, a.data());
    index[i] = static_cast<std::uint8_t>(
        std::max_element(a.begin(), a.begin() + class_count()) - a.begin());
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
  double z;
  LogOddsRow(bgr, 1, &z);
  return z;
}

}  // namespace skinmask
