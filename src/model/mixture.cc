#include "skinmask/model/mixture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "model/rows.h"
#include "skinmask/base/cpu.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

static_assert(CompiledMixture::kMaxComponents == rows::MixtureView::kMaxCount);

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

rows::MixtureView View(const std::vector<FloatQuadratic>& ratios,
                       const std::vector<std::uint8_t>& classes, std::size_t positives,
                       bool one_each) {
  return {classes.size(), positives, ratios.data(), classes.data(), one_each};
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

void CompiledMixture::MaskRow(const std::uint8_t* bgr, std::size_t count,
                              std::uint8_t* mask) const noexcept {
  if (std::isinf(threshold_))
    std::fill_n(mask, count, static_cast<std::uint8_t>(threshold_ > 0 ? 0 : 255));
  else
    rows::MixtureMask(View(mask_ratios_, classes_, positives_, one_each_), bgr, count, mask);
}

void CompiledMixture::ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
                                     std::uint8_t* probability) const noexcept {
  rows::MixtureProbability(View(ratios_, classes_, positives_, one_each_), bgr, count, probability);
}

void CompiledMixture::ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
                                     float* probability) const noexcept {
  rows::MixtureProbability(View(ratios_, classes_, positives_, one_each_), bgr, count, probability);
}

void CompiledMixture::LogOddsRow(const std::uint8_t* bgr, std::size_t count,
                                 float* z) const noexcept {
  rows::MixtureLogOdds(View(ratios_, classes_, positives_, one_each_), bgr, count, z);
}

void CompiledMixture::ClassRow(const std::uint8_t* bgr, std::size_t count,
                               std::uint8_t* index) const noexcept {
  rows::MixtureClass(View(ratios_, classes_, positives_, one_each_), bgr, count, index);
}

}  // namespace skinmask
