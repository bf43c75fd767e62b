#include "skinmask/model/mixture.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "skinmask/base/cpu.h"
#include "skinmask/base/error.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "model/quadratic-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace {

// Makes a kernel of blocks from a kernel of vectors.
template <class OfVector>
struct OfMixture : OfBlock, OfVector {
  MixtureView m;
  HWY_INLINE auto operator()(const FourVectors<Floats>& b, const FourVectors<Floats>& g,
                             const FourVectors<Floats>& r) const {
    const LogRatios ratios(m, b, g, r);
    const OfVector& of = *this;
    using V = decltype(of(m, ratios, 0));
    return FourVectors<V>{of(m, ratios, 0), of(m, ratios, 1), of(m, ratios, 2), of(m, ratios, 3)};
  }
};

// A sum of n terms, the greatest of them 1, is at most n. So if the greatest terms of both sides
// differ by more than the number of the other side's terms, they decide, and the sums are not
// computed. The mask is the same, because the rounding margin is far larger than the sums' error.
struct PositiveMask {
  static constexpr bool kAllBytes = true;
  HWY_INLINE Words operator()(const MixtureView& m, const LogRatios& ratios, std::size_t j) const {
    constexpr float kRoundingMargin = 0.01f;
    // An upper bound of the binary logarithm, and the margin.
    const auto reach = [](std::size_t n) { return std::bit_width(n - 1) + kRoundingMargin; };
    const Floats lead = hn::Sub(ratios.positive[j], ratios.other[j]);
    const float others = reach(m.count - m.positives), positives = reach(m.positives);
    auto greater = hn::Gt(lead, Float(0));
    const auto open = hn::And(hn::Lt(lead, Float(others)), hn::Gt(lead, Float(-positives)));
    if (HWY_UNLIKELY(!hn::AllFalse(FloatTag(), open))) {
      const Floats shift = hn::Max(ratios.positive[j], ratios.other[j]);
      greater =
          hn::Gt(ratios.Sum(0, m.positives, j, shift), ratios.Sum(m.positives, m.count, j, shift));
    }
    return Bits(hn::VecFromMask(FloatTag(), greater));
  }
};

struct Probability {
  HWY_INLINE Floats operator()(const MixtureView& m, const LogRatios& ratios, std::size_t j) const {
    const Floats shift = hn::Max(ratios.positive[j], ratios.other[j]);
    const Floats positive = ratios.Sum(0, m.positives, j, shift);
    const Floats other = ratios.Sum(m.positives, m.count, j, shift);
    return hn::Div(positive, hn::Add(positive, other));
  }
};

struct ProbabilityByte {
  HWY_INLINE Words operator()(const MixtureView& m, const LogRatios& ratios, std::size_t j) const {
    return RoundedByte(hn::Mul(Float(255), Probability()(m, ratios, j)));
  }
};

struct LogOdds {
  HWY_INLINE Floats operator()(const MixtureView& m, const LogRatios& ratios, std::size_t j) const {
    const Floats positive = Log(ratios.Sum(0, m.positives, j, ratios.positive[j]));
    const Floats other = Log(ratios.Sum(m.positives, m.count, j, ratios.other[j]));
    const Floats lead = hn::Sub(ratios.positive[j], ratios.other[j]);
    return hn::Add(hn::Mul(lead, Float(kLn2)), hn::Sub(positive, other));
  }
};

struct GreatestClass {
  HWY_INLINE Words operator()(const MixtureView& m, const LogRatios& ratios, std::size_t j) const {
    const Floats shift = hn::Max(ratios.positive[j], ratios.other[j]);
    Floats greatest = Float(-3e38f);
    Words index = Word(0);
    for (std::size_t first = 0, last; first < m.count; first = last) {
      for (last = first + 1; last < m.count && m.classes[last] == m.classes[first];) ++last;
      const Floats sum = m.one_each ? ratios.u[first][j] : ratios.Sum(first, last, j, shift);
      const auto greater = hn::RebindMask(WordTag(), hn::Gt(sum, greatest));
      index = hn::IfThenElse(greater, Word(m.classes[first]), index);
      greatest = hn::Max(greatest, sum);
    }
    return index;
  }
};

template <class OfVector, class T>
void MixtureRow(const MixtureView& m, const std::uint8_t* bgr, std::size_t count, T* out) {
  BgrRow(OfMixture<OfVector>{{}, {}, m}, bgr, count, out);
}

constexpr auto& MaskRow = MixtureRow<PositiveMask, std::uint8_t>;
constexpr auto& ClassRow = MixtureRow<GreatestClass, std::uint8_t>;
constexpr auto& ProbabilityByteRow = MixtureRow<ProbabilityByte, std::uint8_t>;
constexpr auto& ProbabilityRow = MixtureRow<Probability, float>;
constexpr auto& LogOddsRow = MixtureRow<LogOdds, float>;

}  // namespace
}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skinmask {
namespace {

// The relative error of Exp2 (docs/math.md), and of a sum of n such terms, the greatest near 1.
// Their arguments u - shift have a rounding error of 2^-24 |u - shift|, which multiplied by 2^(u -
// shift) is less than 2^-25 of the greatest term.
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

MixtureView CompiledMixture::ViewOf(const std::vector<FloatQuadratic>& ratios) const noexcept {
  return {classes_.size(), positives_, ratios.data(), classes_.data(), one_each_};
}

MixtureView CompiledMixture::View() const noexcept { return ViewOf(ratios_); }

void CompiledMixture::MaskRow(const std::uint8_t* bgr, std::size_t count,
                              std::uint8_t* mask) const noexcept {
  if (std::isinf(threshold_))
    std::fill_n(mask, count, static_cast<std::uint8_t>(threshold_ > 0 ? 0 : 255));
  else
    SKINMASK_DISPATCH(MaskRow)(ViewOf(mask_ratios_), bgr, count, mask);
}

void CompiledMixture::ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
                                     std::uint8_t* probability) const noexcept {
  SKINMASK_DISPATCH(ProbabilityByteRow)(View(), bgr, count, probability);
}

void CompiledMixture::ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
                                     float* probability) const noexcept {
  SKINMASK_DISPATCH(ProbabilityRow)(View(), bgr, count, probability);
}

void CompiledMixture::LogOddsRow(const std::uint8_t* bgr, std::size_t count,
                                 float* z) const noexcept {
  SKINMASK_DISPATCH(LogOddsRow)(View(), bgr, count, z);
}

void CompiledMixture::ClassRow(const std::uint8_t* bgr, std::size_t count,
                               std::uint8_t* index) const noexcept {
  SKINMASK_DISPATCH(ClassRow)(View(), bgr, count, index);
}

}  // namespace skinmask
#endif
