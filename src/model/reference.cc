#include "skinmask/model/reference.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "model/binning.h"
#include "skinmask/data/samples.h"
#include "skinmask/model/mixture.h"

namespace skinmask {
namespace {

double LogSumExp(const double* a, std::size_t count) noexcept {
  const double largest = *std::max_element(a, a + count);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += std::exp(a[i] - largest);
  return largest + std::log(sum);
}

}  // namespace

// For each class, the logarithms of the prior and of the shares: of the channels' bins one channel
// after another, or of all colours' bins. The prior is added to the first channel's shares, so that
// a discriminant is one sum.
struct Reference::HistogramLogs {
  Binning binning;
  std::vector<std::vector<double>> of_class;
};

Reference::Reference(const Model& model)
    : space_(&model.features.space()),
      classes_(model.classes.size()),
      kind_(model.kind),
      costs_(model.class_costs),
      calibrated_(!model.calibration.identity()),
      calibration_(model.calibration),
      size_(static_cast<std::size_t>(model.features.size())) {
  model.positive();  // throws if there is none
  const FeatureMatrix matrix = model.features.Matrix();
  const FeatureVector offset = model.features.Offset();
  for (std::size_t i = 0; i < size_; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    offset_[i] = offset(row);
    for (std::size_t j = 0; j < 3; ++j) matrix_[i][j] = matrix(row, static_cast<Eigen::Index>(j));
  }
  if (IsHistogram(kind_))
    AddHistograms(model);
  else if (kind_ == Kind::kLogistic)
    AddLogistic(model);
  else
    AddGaussians(model);
}

Reference::Component Reference::ComponentOf(const ClassModel& c, const Gaussian& gaussian) {
  const Eigen::Index size = gaussian.mean.size();
  Eigen::Matrix3d lower = Eigen::Matrix3d::Identity();
  lower.topLeftCorner(size, size) = Eigen::LLT<FeatureMatrix>(gaussian.covariance).matrixL();
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  mean.head(size) = gaussian.mean;
  return {std::log(c.prior) + std::log(gaussian.weight) - lower.diagonal().array().log().sum(),
          {mean(0), mean(1), mean(2)},
          {lower(0, 0), lower(1, 0), lower(1, 1), lower(2, 0), lower(2, 1), lower(2, 2)}};
}

void Reference::AddGaussians(const Model& model) {
  for (const ClassModel& c : model.classes) {
    for (const Gaussian& gaussian : c.gaussians()) components_.push_back(ComponentOf(c, gaussian));
    ends_.push_back(components_.size());
  }
}

void Reference::AddLogistic(const Model& model) {
  if (classes_ == 2) {
    logistic_ = {model.logistic};
    logistic_[0].constant = std::log(model.classes[0].prior) - std::log(model.classes[1].prior) +
                            model.logistic.constant;
    return;
  }
  for (const ClassModel& c : model.classes) {
    logistic_.push_back(c.terms);
    logistic_.back().constant = std::log(c.prior) + c.terms.constant;
  }
}

void Reference::AddHistograms(const Model& model) {
  HistogramLogs logs{Binning(model.features, model.histogram.bins), {}};
  const std::size_t bins = logs.binning.BinCountOf(kind_);
  // Those whose sum is 1.
  const std::size_t shares = kind_ == Kind::kHistogramNb ? logs.binning.bins() : bins;
  const double smoothing = model.histogram.smoothing;
  for (const ClassModel& c : model.classes) {
    const double all = static_cast<double>(c.count) + smoothing * static_cast<double>(shares);
    std::vector<double> of_class(bins, std::log(smoothing / all));
    for (const BinCount& bin : c.bins)
      of_class[bin.bin] = std::log((static_cast<double>(bin.count) + smoothing) / all);
    const double log_prior = std::log(c.prior);
    for (std::size_t i = 0; i < shares; ++i) of_class[i] += log_prior;
    logs.of_class.push_back(std::move(of_class));
  }
  histograms_ = std::make_shared<const HistogramLogs>(std::move(logs));
}

Reference::Point Reference::FeaturesOf(const std::int32_t* carrier) const noexcept {
  Point f;
  for (std::size_t i = 0; i < 3; ++i)
    f[i] = matrix_[i][0] * carrier[0] + matrix_[i][1] * carrier[1] + matrix_[i][2] * carrier[2] +
           offset_[i];
  return f;
}

// (f - mu)' inverse(LL') (f - mu) is |w|^2 with Lw = f - mu, solved from the top.
double Reference::Density(const Component& c, const Point& f) noexcept {
  const double w0 = (f[0] - c.mean[0]) / c.cholesky[0];
  const double w1 = (f[1] - c.mean[1] - c.cholesky[1] * w0) / c.cholesky[2];
  const double w2 = (f[2] - c.mean[2] - c.cholesky[3] * w0 - c.cholesky[4] * w1) / c.cholesky[5];
  return c.constant - 0.5 * (w0 * w0 + w1 * w1 + w2 * w2);
}

void Reference::MixtureDiscriminants(const Point& f, double* a) const noexcept {
  std::array<double, CompiledMixture::kMaxComponents> terms;
  std::size_t first = 0;
  for (std::size_t k = 0; k < classes_; ++k) {
    for (std::size_t j = first; j < ends_[k]; ++j) terms[j - first] = Density(components_[j], f);
    a[k] = ends_[k] == first + 1 ? terms[0] : LogSumExp(terms.data(), ends_[k] - first);
    first = ends_[k];
  }
}

void Reference::LogisticDiscriminants(const Point& f, double* a) const noexcept {
  a[1] = 0;
  for (const FeatureTerms& terms : logistic_) {
    double z = terms.constant;
    for (std::size_t i = 0; i < size_; ++i) z += terms.linear(static_cast<Eigen::Index>(i)) * f[i];
    const double* product = terms.product.data();
    for (std::size_t i = 0; !terms.product.empty() && i < size_; ++i)
      for (std::size_t j = i; j < size_; ++j) z += *product++ * f[i] * f[j];
    *a++ = z;
  }
}

void Reference::HistogramDiscriminants(const Point& f, double* a) const noexcept {
  std::fill_n(a, classes_, 0.);
  histograms_->binning.ForEachBin(kind_, f.data(), [&](std::size_t bin) {
    for (std::size_t k = 0; k < classes_; ++k) a[k] += histograms_->of_class[k][bin];
  });
}

// Changes the positive class's discriminant so that its log-odds against all others are calibrated.
void Reference::Calibrate(double* a) const noexcept {
  const double others = LogSumExp(a + 1, classes_ - 1);
  a[0] = calibration_.slope * (a[0] - others) + calibration_.offset + others;
}

void Reference::Discriminants(const std::int32_t* carrier, double* a) const noexcept {
  const Point f = FeaturesOf(carrier);
  if (IsHistogram(kind_)) {
    HistogramDiscriminants(f, a);
  } else if (kind_ == Kind::kLogistic) {
    LogisticDiscriminants(f, a);
  } else {
    MixtureDiscriminants(f, a);
  }
  if (calibrated_) Calibrate(a);
}

double Reference::LogOddsOf(const double* a) const noexcept {
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 1; k < classes_; ++k) largest = std::max(largest, a[k]);
  const double z = a[0] - largest;
  if (classes_ == 2) return z;  // the sum is exp(0)
  double sum = 0;
  for (std::size_t k = 1; k < classes_; ++k) sum += std::exp(a[k] - largest);
  return z - std::log(sum);
}

void Reference::LogOddsRow(const std::int32_t* carrier, std::size_t count,
                           double* z) const noexcept {
  std::array<double, kMaxClasses> a;
  for (std::size_t i = 0; i < count; ++i) {
    Discriminants(carrier + 3 * i, a.data());
    z[i] = LogOddsOf(a.data());
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

std::size_t Reference::Cheapest(const double* a) const noexcept {
  const double largest = *std::max_element(a, a + classes_);
  std::array<double, kMaxClasses> weight, cost{};
  for (std::size_t k = 0; k < classes_; ++k) weight[k] = std::exp(a[k] - largest);
  for (std::size_t k = 0; k < classes_; ++k)
    for (std::size_t called = 0; called < classes_; ++called)
      cost[called] += weight[k] * costs_[k * classes_ + called];
  return static_cast<std::size_t>(std::min_element(cost.begin(), cost.begin() + classes_) -
                                  cost.begin());
}

void Reference::ClassRow(const std::uint8_t* bgr, std::size_t count,
                         std::uint8_t* index) const noexcept {
  std::array<double, kMaxClasses> a;
  for (std::size_t i = 0; i < count; ++i) {
    std::int32_t carrier[3];
    CarrierRow(*space_, bgr + 3 * i, 1, carrier);
    Discriminants(carrier, a.data());
    const auto called = has_costs()
                            ? Cheapest(a.data())
                            : static_cast<std::size_t>(
                                  std::max_element(a.begin(), a.begin() + classes_) - a.begin());
    index[i] = static_cast<std::uint8_t>(called);
  }
}

std::vector<double> Reference::Posteriors(std::uint8_t b, std::uint8_t g, std::uint8_t r) const {
  const std::uint8_t bgr[3] = {b, g, r};
  std::int32_t carrier[3];
  CarrierRow(*space_, bgr, 1, carrier);
  std::vector<double> p(classes_);
  Discriminants(carrier, p.data());
  const double log_sum = LogSumExp(p.data(), p.size());
  for (double& value : p) value = std::exp(value - log_sum);
  return p;
}

double Reference::LogOdds(std::uint8_t b, std::uint8_t g, std::uint8_t r) const {
  const std::uint8_t bgr[3] = {b, g, r};
  double z;
  LogOddsRow(bgr, 1, &z);
  return z;
}

}  // namespace skinmask
