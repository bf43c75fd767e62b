#include "skinmask/model/mixture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "skinmask/base/cpu.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

// The relative error of Exp2 (docs/math.md), and of adding n such terms, the greatest near 1, whose
// arguments u - shift were rounded: by 2^-24 |u - shift|, of which 2^(u - shift) leaves less than
// 2^-25 of the greatest term.
constexpr double kExp2Error = 0x1p-22;
double SumError(std::size_t n) { return kExp2Error + static_cast<double>(n) * (0x1p-24 + 0x1p-25); }

void Check(std::span<const MixtureComponent> components) {
  const auto positive = [](const MixtureComponent& c) { return c.class_index == 0; };
  if (components.size() > CompiledMixture::kMaxComponents)
    throw Error("mixture", fmt::format("{} components (at most {})", components.size(),
                                       CompiledMixture::kMaxComponents));
  for (const MixtureComponent& c : components)
    if (c.class_index < 0 || c.class_index > 255)
      throw Error("mixture", fmt::format("class index {} (0 to 255)", c.class_index));
  if (std::ranges::none_of(components, positive) || std::ranges::all_of(components, positive))
    throw Error("mixture", "one class only (class 0 and at least one other)");
}

}  // namespace

CompiledMixture::CompiledMixture(std::span<const MixtureComponent> components, double threshold)
    : threshold_(threshold) {
  ObeyTargetVariable();
  Check(components);
  std::vector<MixtureComponent> sorted(components.begin(), components.end());
  std::ranges::stable_sort(sorted, {}, &MixtureComponent::class_index);
  const Quadratic first = sorted.front().log_density;
  double positive_error = 0, other_error = 0;
  for (const MixtureComponent& c : sorted) {
    Quadratic ratio = c.log_density - first;
    ratios_.emplace_back(ratio, std::numbers::log2e);
    double error = ratio.ErrorBound();
    if (c.class_index != 0 && std::isfinite(threshold)) {
      ratio.constant += threshold;
      error = std::max(error, ratio.ErrorBound());
    }
    mask_ratios_.emplace_back(ratio, std::numbers::log2e);
    double& largest = c.class_index == 0 ? positive_error : other_error;
    largest = std::max(largest, error);
    one_each_ &= classes_.empty() || classes_.back() != c.class_index;
    classes_.push_back(static_cast<std::uint8_t>(c.class_index));
    positives_ += c.class_index == 0;
  }
  error_bound_ =
      positive_error + other_error + SumError(positives_) + SumError(classes_.size() - positives_);
}

}  // namespace skinmask
