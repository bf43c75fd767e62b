#include <algorithm>

#include "skinmask/learn/compare.h"

namespace skinmask {
namespace {

std::uint64_t Power(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t power = 1;
  for (; exponent > 0; --exponent) power *= base;
  return power;
}

// Of all classes, but for their priors.
std::uint64_t OfDensities(const Model& model) {
  const auto p = static_cast<std::uint64_t>(model.features.size());
  const auto bins = static_cast<std::uint64_t>(model.histogram.bins);
  const std::uint64_t classes = model.classes.size(), covariance = p * (p + 1) / 2;
  switch (model.kind) {
    case Kind::kQda:
      return classes * (p + covariance);
    case Kind::kLda:
      return classes * p + covariance;
    case Kind::kGaussianNb:
      return classes * (p + p);
    case Kind::kHistogramNb:
      return classes * p * (bins - 1);
    case Kind::kHistogram:
      return classes * (Power(bins, p) - 1);
    case Kind::kMixture:
    case Kind::kLogistic:
      break;
  }
  std::uint64_t sum = 0;  // of each component its weight, too, but the weights sum to 1
  for (const ClassModel& c : model.classes) sum += c.components.size() * (1 + p + covariance) - 1;
  return sum;
}

}  // namespace

std::uint64_t FreeParameters(const Model& model) {
  const std::uint64_t calibration = model.calibration.identity() ? 0 : 2;
  if (model.kind == Kind::kLogistic) {  // its constant holds the prior
    const auto& products = model.logistic.product;
    return 1 + static_cast<std::uint64_t>(model.features.size()) + calibration +
           static_cast<std::uint64_t>(
               std::ranges::count_if(products, [](double a) { return a != 0; }));
  }
  return OfDensities(model) + model.classes.size() - 1 + calibration;
}

}  // namespace skinmask
