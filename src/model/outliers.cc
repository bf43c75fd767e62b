#include "skinmask/model/outliers.h"

#include <fmt/format.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>

#include "model/binning.h"
#include "model/table.h"
#include "skinmask/base/cpu.h"
#include "skinmask/base/error.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "model/quadratic-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace {

// 255 where no quadratic is below 0.
struct BeyondAll : OfChannels {
  static constexpr bool kAllBytes = true;
  const FloatQuadratic* beyond;
  std::size_t count;
  HWY_INLINE Words operator()(Floats b, Floats g, Floats r) const {
    Floats least = Evaluate(beyond[0], b, g, r);
    for (std::size_t k = 1; k < count; ++k) least = hn::Min(least, Evaluate(beyond[k], b, g, r));
    return hn::Not(SignWords(least));
  }
};

void BeyondRow(const FloatQuadratic* beyond, std::size_t quadratics, const std::uint8_t* bgr,
               std::size_t count, std::uint8_t* outlier) {
  BgrRow(BeyondAll{{}, beyond, quadratics}, bgr, count, outlier);
}

}  // namespace
}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skinmask {

// Whether any class explains these features.
using Explains = std::function<bool(const double* f)>;

// The outliers of models that are not quadratics.
class Outliers::ByColor {
 public:
  ByColor(const Model& model, Explains explains)
      : features_(model.features), explains_(std::move(explains)) {}

  // Which of at most ColorMemo::kBlock pixels no class explains.
  void Judge(const std::uint8_t* bgr, std::size_t count, bool* outlier) const noexcept {
    const FeatureMatrix matrix = features_.Matrix();
    const FeatureVector offset = features_.Offset();
    std::array<std::int32_t, 3 * ColorMemo::kBlock> carrier;
    CarrierRow(features_.space(), bgr, count, carrier.data());
    for (std::size_t i = 0; i < count; ++i) {
      const Eigen::Vector3d of_color = Eigen::Map<Eigen::Vector3i>(&carrier[3 * i]).cast<double>();
      const FeatureVector f = matrix * of_color + offset;
      outlier[i] = !explains_(f.data());
    }
  }

  // As Outliers::Row; each colour is computed once.
  void Row(const std::uint8_t* bgr, std::size_t count, std::uint8_t* outlier) const noexcept {
    constexpr ColorMemo::Word kExplained = 1, kOutlier = 2;
    const auto find = [this](const std::uint8_t* of, std::size_t n, ColorMemo::Word* words) {
      std::array<bool, ColorMemo::kBlock> found;
      Judge(of, n, found.data());
      for (std::size_t i = 0; i < n; ++i) words[i] = found[i] ? kOutlier : kExplained;
    };
    memo_.Row(bgr, count, find, [&](std::size_t i, ColorMemo::Word word) {
      outlier[i] = static_cast<std::uint8_t>(word == kOutlier ? 255 : 0);
    });
  }

 private:
  Features features_;
  Explains explains_;
  ColorMemo memo_;
};

namespace {

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

FeatureMatrix InverseCovariance(const Gaussian& gaussian) {
  const auto size = gaussian.mean.size();
  return Eigen::LLT<FeatureMatrix>(gaussian.covariance).solve(FeatureMatrix::Identity(size, size));
}

Explains ByDistance(const Model& model, double share) {
  const double limit = ChiSquaredQuantile(share, model.features.size());
  std::vector<std::pair<FeatureVector, FeatureMatrix>> gaussians;  // means, inverse covariances
  for (const ClassModel& c : model.classes)
    for (const Gaussian& gaussian : c.gaussians())
      gaussians.emplace_back(gaussian.mean, InverseCovariance(gaussian));
  return [gaussians = std::move(gaussians), limit](const double* f) {
    return std::ranges::any_of(gaussians, [&](const auto& gaussian) {
      const auto& [mean, inverse] = gaussian;
      const FeatureVector d = Eigen::Map<const FeatureVector>(f, mean.size()) - mean;
      return d.dot(inverse * d) <= limit;
    });
  };
}

// The fullest bins that hold `share` of all pixels, and those that are as full as the last of them.
std::vector<std::uint32_t> Fullest(std::vector<std::pair<double, std::uint32_t>> bins,
                                   double share) {
  tbb::this_task_arena::isolate(
      [&] { tbb::parallel_sort(bins.begin(), bins.end(), std::greater()); });
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

// The shares of whole colours for a class whose channels are independent.
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

// The products take some seconds for a class that has seen every value of every channel of 256
// bins. Histograms of whole colours have the same limit (Validate).
void RequireFewProducts(const Model& model, const Binning& binning) {
  double all = 0;
  for (const ClassModel& c : model.classes) {
    std::array<double, 3> of_channels{1, 1, 1};
    for (std::size_t i = 0; i < binning.size(); ++i)
      of_channels[i] = static_cast<double>(std::ranges::count_if(
          c.bins, [&](const BinCount& b) { return b.bin / binning.bins() == i && b.count > 0; }));
    all += of_channels[0] * of_channels[1] * of_channels[2];
  }
  if (all > Histogram::kMaxBins)
    throw Error("outliers",
                fmt::format("the channels' bins make {:.0f} colours of all classes (at most {}; "
                            "fewer bins, or classes)",
                            all, Histogram::kMaxBins));
}

// The bins that any class of a histogram explains.
Explains ByBins(const Model& model, double share) {
  const Binning binning(model.features, model.histogram.bins);
  if (model.kind == Kind::kHistogramNb) RequireFewProducts(model, binning);
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

}  // namespace

double ChiSquaredQuantile(double share, int degrees) {
  Check(share);
  if (degrees < 1 || degrees > 3)
    throw Error(fmt::format("degrees of freedom {}", degrees), "are out of range (1, 2 or 3)");
  double low = 0, high = 1;
  while (ChiSquaredCdf(high, degrees) < share && high < 1e4) high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (ChiSquaredCdf(middle, degrees) < share ? low : high) = middle;
  }
  return high;
}

Quadratic SquaredDistance(const Features& features, const Gaussian& gaussian) {
  const FeatureMatrix inverse = InverseCovariance(gaussian);
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

Outliers::Outliers(const Model& model, double share, std::uint64_t expected_pixels) {
  ObeyTargetVariable();
  Check(share);
  model.positive();  // throws if there is none
  if (model.kind == Kind::kLogistic)
    throw Error("`outlier`", "a logistic model has no densities (a Gaussian or a histogram one)");
  if (model.features.space().affine() && !IsHistogram(model.kind)) {
    const double limit = ChiSquaredQuantile(share, model.features.size());
    for (const ClassModel& c : model.classes)
      for (const Gaussian& gaussian : c.gaussians()) {
        Quadratic distance = SquaredDistance(model.features, gaussian);
        distance.constant -= limit;
        beyond_.emplace_back(distance, 1);
      }
    return;
  }
  auto by_color = std::make_shared<const ByColor>(
      model, IsHistogram(model.kind) ? ByBins(model, share) : ByDistance(model, share));
  if (expected_pixels < kColors || DensityCount(model) > kMaxDensitiesOfTable)
    by_color_ = std::move(by_color);
  else
    FillTable(*by_color);
}

void Outliers::FillTable(const ByColor& by_color) {
  auto bits = std::make_shared<std::vector<std::uint32_t>>(kColors / 32);
  ForColorRows([&](std::size_t first, const std::uint8_t* bgr) {
    std::array<bool, kColorsOfRow> outlier;
    by_color.Judge(bgr, outlier.size(), outlier.data());
    for (std::size_t b = 0; b < outlier.size(); ++b)
      (*bits)[(first + b) / 32] |= std::uint32_t{outlier[b]} << (b % 32);
  });
  bits_ = std::move(bits);
}

void Outliers::Row(const std::uint8_t* bgr, std::size_t count,
                   std::uint8_t* outlier) const noexcept {
  if (by_color_)
    by_color_->Row(bgr, count, outlier);
  else if (bits_)
    BitOfColorRow(bits_->data(), bgr, count, outlier);
  else
    SKINMASK_DISPATCH(BeyondRow)(beyond_.data(), beyond_.size(), bgr, count, outlier);
}

}  // namespace skinmask
#endif
