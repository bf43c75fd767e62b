#include "skinmask/model/outliers.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>

#include "model/binning.h"
#include "skinmask/base/cpu.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

constexpr std::size_t kBlues = 256;  // colours that share red and green
constexpr std::size_t kColors = std::size_t{1} << 24;

void Check(double share) {
  if (!(share > 0 && share < 1))
    throw Error("outliers", fmt::format("a share of {} (more than 0 and less than 1)", share));
}

double ChiSquaredCdf(double x, int degrees) {
  const double root = std::sqrt(x / 2);
  if (degrees == 1) return std::erf(root);
  if (degrees == 2) return -std::expm1(-x / 2);
  return std::erf(root) - 2 * root * std::exp(-x / 2) / std::sqrt(std::numbers::pi);
}

// Whether a class explains features.
using Explains = std::function<bool(const double* f)>;

Explains ByDistance(const Gaussian& gaussian, double limit) {
  const auto size = gaussian.mean.size();
  const FeatureMatrix inverse =
      Eigen::LLT<FeatureMatrix>(gaussian.covariance).solve(FeatureMatrix::Identity(size, size));
  return [mean = gaussian.mean, inverse, limit](const double* f) {
    const FeatureVector d = Eigen::Map<const FeatureVector>(f, mean.size()) - mean;
    return d.dot(inverse * d) <= limit;
  };
}

// Of the bins with pixels, the fullest that hold `share` of the whole, and those as full as the
// last of them.
std::vector<std::uint32_t> Fullest(std::vector<std::pair<double, std::uint32_t>> bins,
                                   double share) {
  std::ranges::sort(bins, std::greater());
  double all = 0, sum = 0;
  for (const auto& [mass, bin] : bins) all += mass;
  std::vector<std::uint32_t> fullest;
  double last = 0;
  for (const auto& [mass, bin] : bins) {
    if (sum >= share * all && mass < last) break;
    sum += mass;
    last = mass;
    fullest.push_back(bin);
  }
  return fullest;
}

// Whole colours' shares of a class whose channels are independent.
std::vector<std::pair<double, std::uint32_t>> Products(const ClassModel& c,
                                                       const Binning& binning) {
  std::vector<double> of_channels(binning.channel_bin_count());
  for (const BinCount& bin : c.bins) of_channels[bin.bin] = static_cast<double>(bin.count);
  std::vector<std::pair<double, std::uint32_t>> products{{1, 0}};
  for (std::size_t channel = 0; channel < binning.size(); ++channel) {
    std::vector<std::pair<double, std::uint32_t>> longer;
    for (const auto& [mass, first] : products)
      for (std::size_t b = 0; b < binning.bins(); ++b)
        if (const double share = of_channels[channel * binning.bins() + b]; share > 0)
          longer.emplace_back(mass * share, static_cast<std::uint32_t>(first * binning.bins() + b));
    products = std::move(longer);
  }
  return products;
}

// The bins that some class of a histogram explains.
Explains ByBins(const Model& model, double share) {
  const Binning binning(model.features, model.histogram.bins);
  std::vector<bool> explained(binning.color_bin_count());
  for (const ClassModel& c : model.classes) {
    std::vector<std::pair<double, std::uint32_t>> bins;
    if (model.kind == Kind::kHistogramNb)
      bins = Products(c, binning);
    else
      for (const BinCount& bin : c.bins) bins.emplace_back(static_cast<double>(bin.count), bin.bin);
    for (const std::uint32_t bin : Fullest(std::move(bins), share)) explained[bin] = true;
  }
  return [binning, explained = std::move(explained)](const double* f) {
    return explained[binning.ColorBin(f)];
  };
}

std::vector<Explains> ExplanationsOf(const Model& model, double share) {
  if (IsHistogram(model.kind)) return {ByBins(model, share)};
  const double limit = ChiSquaredQuantile(share, model.features.size());
  std::vector<Explains> explanations;
  for (const ClassModel& c : model.classes)
    for (const Gaussian& gaussian : c.gaussians())
      explanations.push_back(ByDistance(gaussian, limit));
  return explanations;
}

}  // namespace

double ChiSquaredQuantile(double share, int degrees) {
  Check(share);
  double low = 0, high = 1;
  while (ChiSquaredCdf(high, degrees) < share && high < 1e4) high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (ChiSquaredCdf(middle, degrees) < share ? low : high) = middle;
  }
  return high;
}

Quadratic SquaredDistance(const Features& features, const Gaussian& gaussian) {
  const auto size = gaussian.mean.size();
  const FeatureMatrix inverse =
      Eigen::LLT<FeatureMatrix>(gaussian.covariance).solve(FeatureMatrix::Identity(size, size));
  const FeatureVector slope = -2 * inverse * gaussian.mean;
  return Quadratic::OfFeatures(features, gaussian.mean.dot(inverse * gaussian.mean), slope,
                               inverse);
}

Outliers::Outliers(std::span<const Quadratic> squared_distances, double share) {
  ObeyTargetVariable();
  const double limit = ChiSquaredQuantile(share, 3);
  for (Quadratic distance : squared_distances) {
    distance.constant -= limit;
    beyond_.emplace_back(distance, 1);
  }
  if (beyond_.empty()) throw Error("outliers", "no Gaussian (at least one)");
}

Outliers::Outliers(const Model& model, double share) {
  ObeyTargetVariable();
  Check(share);
  if (model.kind == Kind::kLogistic)
    throw Error("outliers", "a logistic model has no densities (a Gaussian or a histogram one)");
  if (!model.features.space().affine() || IsHistogram(model.kind))
    FillTable(model, share);
  else
    AddGaussians(model, share);
}

void Outliers::AddGaussians(const Model& model, double share) {
  const double limit = ChiSquaredQuantile(share, model.features.size());
  for (const ClassModel& c : model.classes)
    for (const Gaussian& gaussian : c.gaussians()) {
      Quadratic distance = SquaredDistance(model.features, gaussian);
      distance.constant -= limit;
      beyond_.emplace_back(distance, 1);
    }
}

void Outliers::FillTable(const Model& model, double share) {
  const std::vector<Explains> explanations = ExplanationsOf(model, share);
  const FeatureMatrix matrix = model.features.Matrix();
  const FeatureVector offset = model.features.Offset();
  auto bits = std::make_shared<std::vector<std::uint32_t>>(kColors / 32);
  const auto fill = [&](std::size_t red_green) {
    std::array<std::uint8_t, 3 * kBlues> bgr;
    for (std::size_t b = 0; b < kBlues; ++b) {
      bgr[3 * b] = static_cast<std::uint8_t>(b);
      bgr[3 * b + 1] = static_cast<std::uint8_t>(red_green);
      bgr[3 * b + 2] = static_cast<std::uint8_t>(red_green >> 8);
    }
    std::array<std::int32_t, 3 * kBlues> carrier;
    CarrierRow(model.features.space(), bgr.data(), kBlues, carrier.data());
    for (std::size_t b = 0; b < kBlues; ++b) {
      const Eigen::Vector3d of_color = Eigen::Map<Eigen::Vector3i>(&carrier[3 * b]).cast<double>();
      const FeatureVector f = matrix * of_color + offset;
      const bool outlier =
          std::ranges::none_of(explanations, [&](const Explains& e) { return e(f.data()); });
      const std::size_t color = red_green * kBlues + b;
      (*bits)[color / 32] |= std::uint32_t{outlier} << (color % 32);
    }
  };
  // Isolated as Posterior's table is.
  tbb::this_task_arena::isolate([&] { tbb::parallel_for(std::size_t{0}, kColors / kBlues, fill); });
  bits_ = std::move(bits);
}

}  // namespace skinmask
