#include "skinmask/model/posterior.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "model/table.h"
#include "skinmask/base/cpu.h"
#include "skinmask/base/logistic.h"
#include "skinmask/model/feature_polynomial.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "base/pixels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace {

struct BitOfColor : OfColor {
  static constexpr bool kAllBytes = true;
  const std::uint32_t* bits;
  HWY_INLINE Words operator()(Words color) const {
    const Words word =
        hn::GatherIndex(WordTag(), bits, hn::BitCast(IntTag(), hn::ShiftRight<5>(color)));
    // Shifted by 31 - color % 32, the bit is the sign.
    const Words sign = hn::Shl(word, hn::AndNot(color, Word(31)));
    return hn::BitCast(WordTag(), hn::ShiftRight<31>(hn::BitCast(IntTag(), sign)));
  }
};

struct ByteOfColor : OfColor {
  const std::uint8_t* bytes;
  HWY_INLINE Words operator()(Words color) const {
#if HWY_TARGET == HWY_SCALAR
    return Word(bytes[hn::GetLane(color)]);
#else
    return hn::GatherOffset(WordTag(), reinterpret_cast<const std::uint32_t*>(bytes),
                            hn::BitCast(IntTag(), color));
#endif
  }
};

void TableMaskRow(const std::uint32_t* bits, const std::uint8_t* bgr, std::size_t count,
                  std::uint8_t* mask) {
  BgrRow(BitOfColor{{}, bits}, bgr, count, mask);
}
void TableByteRow(const std::uint8_t* bytes, const std::uint8_t* bgr, std::size_t count,
                  std::uint8_t* byte) {
  BgrRow(ByteOfColor{{}, bytes}, bgr, count, byte);
}

}  // namespace
}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skinmask {
namespace {

// round(255 P) of log-odds.
std::uint8_t ProbabilityByte(double log_odds) {
  // Beyond these log-odds 255 P is within 0.49 of 0 or 255, so most colours need no exp.
  constexpr double kFar = 6.26;
  if (log_odds > kFar) return 255;
  if (log_odds < -kFar) return 0;
  return static_cast<std::uint8_t>(std::lround(255 * Logistic(log_odds)));
}

// of_z(z) for every pixel, with z by the reference.
template <class T, class OfZ>
void ReferenceRow(const Reference& reference, const std::uint8_t* bgr, std::size_t count, T* out,
                  const OfZ& of_z) {
  std::array<double, 256> z;
  for (std::size_t done = 0; done < count; done += z.size()) {
    const std::size_t n = std::min(z.size(), count - done);
    reference.LogOddsRow(bgr + 3 * done, n, z.data());
    for (std::size_t i = 0; i < n; ++i) out[done + i] = of_z(z[i]);
  }
}

// The object that has the row functions of a form.
template <class Form>
const auto& RowsOf(const Form& form) {
  if constexpr (requires { form.compiled; })
    return form.compiled;
  else if constexpr (requires { *form; })
    return *form;
  else
    return form;
}

// All Gaussians of the model; empty if the model has no such form.
std::vector<MixtureComponent> Components(const Model& model) {
  std::vector<MixtureComponent> components;
  if (!model.features.space().affine() || !model.calibration.identity()) return {};
  // It has one polynomial, not one of each class.
  if (model.kind == Kind::kLogistic && model.classes.size() == 2) return {};
  for (std::size_t k = 0; k < model.classes.size(); ++k) {
    const auto add = [&](const Quadratic& q) { components.push_back({q, static_cast<int>(k)}); };
    if (model.kind == Kind::kLogistic) {
      const FeaturePolynomial d = *DiscriminantOf(model, k);
      add(Quadratic::OfFeatures(model.features, d.constant, d.linear, d.product));
      continue;
    }
    for (const Gaussian& gaussian : model.classes[k].gaussians())
      add(Quadratic::Discriminant(model.features, model.classes[k].prior, gaussian));
  }
  return components;
}

}  // namespace

std::size_t DensityCount(const Model& model) {
  std::size_t count = 0;
  for (const ClassModel& c : model.classes) count += std::max<std::size_t>(1, c.components.size());
  return count;
}

void BitOfColorRow(const std::uint32_t* bits, const std::uint8_t* bgr, std::size_t count,
                   std::uint8_t* mask) noexcept {
  SKINMASK_DISPATCH(TableMaskRow)(bits, bgr, count, mask);
}

// The reference's results for each of the 2^24 colours, or, with many densities, for the colours
// that occur. Outputs that `options` do not request, and too few pixels for a table, use the
// reference itself. The bytes are the same.
class Posterior::Table {
 public:
  Table(const Model& model, const PosteriorOptions& options)
      : reference_(model), threshold_(Logit(model.decision.threshold)) {
    if (DensityCount(model) > kMaxDensitiesOfTable) {
      memo_.emplace();
      return;
    }
    if (options.expected_pixels < kColors) return;
    if (options.mask) bits_.resize(kColors / 32);
    if (options.probability) bytes_.resize(kColors + kBytePadding);
    if (built())
      ForColorRows([this](std::size_t first, const std::uint8_t* bgr) { FillRow(first, bgr); });
  }

  void MaskRow(const std::uint8_t* bgr, std::size_t count, std::uint8_t* mask) const noexcept {
    if (memo_)
      MemoRow(bgr, count, [&](std::size_t i, ColorMemo::Word word) {
        mask[i] = static_cast<std::uint8_t>(word & kAbove ? 255 : 0);
      });
    else if (bits_.empty())
      ReferenceRow(reference_, bgr, count, mask, [this](double z) {
        return static_cast<std::uint8_t>(z > threshold_ ? 255 : 0);
      });
    else
      BitOfColorRow(bits_.data(), bgr, count, mask);
  }
  void ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
                      std::uint8_t* probability) const noexcept {
    if (memo_)
      MemoRow(bgr, count, [&](std::size_t i, ColorMemo::Word word) {
        probability[i] = static_cast<std::uint8_t>(word);
      });
    else if (bytes_.empty())
      ReferenceRow(reference_, bgr, count, probability, ProbabilityByte);
    else
      SKINMASK_DISPATCH(TableByteRow)(bytes_.data(), bgr, count, probability);
  }
  void ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
                      float* probability) const noexcept {
    ReferenceRow(reference_, bgr, count, probability,
                 [](double z) { return static_cast<float>(Logistic(z)); });
  }
  void ClassRow(const std::uint8_t* bgr, std::size_t count, std::uint8_t* index) const noexcept {
    reference_.ClassRow(bgr, count, index);
  }
  double ErrorBound() const { return 0; }
  const char* form() const {
    if (memo_) return "memo";
    return built() ? "table" : "reference";
  }

 private:
  // Bytes are gathered as words that begin with them, so the last byte needs padding.
  static constexpr std::size_t kBytePadding = 3;

  // The bits of a word of the memo; its lowest byte is the probability.
  static constexpr ColorMemo::Word kKnown = 1 << 9, kAbove = 1 << 8;

  bool built() const { return !bits_.empty() || !bytes_.empty(); }

  void FillRow(std::size_t first, const std::uint8_t* bgr) {
    std::array<double, kColorsOfRow> z;
    reference_.LogOddsRow(bgr, z.size(), z.data());
    for (std::size_t b = 0; b < z.size(); ++b) {
      if (!bits_.empty()) bits_[(first + b) / 32] |= std::uint32_t{z[b] > threshold_} << (b % 32);
      if (!bytes_.empty()) bytes_[first + b] = ProbabilityByte(z[b]);
    }
  }

  template <class Use>
  void MemoRow(const std::uint8_t* bgr, std::size_t count, const Use& use) const noexcept {
    const auto find = [this](const std::uint8_t* of, std::size_t n, ColorMemo::Word* words) {
      ReferenceRow(reference_, of, n, words, [this](double z) {
        const auto above = z > threshold_ ? kAbove : ColorMemo::Word{0};
        return static_cast<ColorMemo::Word>(kKnown | above | ProbabilityByte(z));
      });
    };
    memo_->Row(bgr, count, find, use);
  }

  Reference reference_;
  double threshold_;
  std::optional<ColorMemo> memo_;
  std::vector<std::uint32_t> bits_;  // masks: a bit for each colour, lowest first; or empty
  std::vector<std::uint8_t> bytes_;  // probabilities, and kBytePadding more; or empty
};

Posterior::Form Posterior::Compile(const Model& model, const PosteriorOptions& options) {
  ObeyTargetVariable();
  const double threshold = Logit(model.decision.threshold);
  if (Quadratic::CanFold(model)) {
    const Quadratic log_odds(model);
    return Folded{log_odds, CompiledQuadratic(log_odds, threshold)};
  }
  const std::vector<MixtureComponent> components = Components(model);
  if (!components.empty() && components.size() <= CompiledMixture::kMaxComponents) {
    CompiledMixture mixture(components, threshold);
    if (mixture.ErrorBound() <= Quadratic::kMaxError) return mixture;
  }
  return std::make_shared<const Table>(model, options);
}

Posterior::Posterior(const Model& model, const PosteriorOptions& options)
    : reference_(model), form_(Compile(model, options)) {}

void Posterior::MaskRow(const std::uint8_t* bgr, std::size_t count,
                        std::uint8_t* mask) const noexcept {
  std::visit([&](const auto& form) { RowsOf(form).MaskRow(bgr, count, mask); }, form_);
}

void Posterior::ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
                               std::uint8_t* probability) const noexcept {
  std::visit([&](const auto& form) { RowsOf(form).ProbabilityRow(bgr, count, probability); },
             form_);
}

void Posterior::ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
                               float* probability) const noexcept {
  std::visit([&](const auto& form) { RowsOf(form).ProbabilityRow(bgr, count, probability); },
             form_);
}

void Posterior::LogOddsRow(const std::uint8_t* bgr, std::size_t count, float* z) const noexcept {
  if (const auto* folded = std::get_if<Folded>(&form_))
    for (std::size_t i = 0; i < count; ++i)
      z[i] = static_cast<float>(folded->log_odds(bgr + 3 * i));
  else
    ReferenceRow(reference_, bgr, count, z, [](double value) { return static_cast<float>(value); });
}

void Posterior::ClassRow(const std::uint8_t* bgr, std::size_t count,
                         std::uint8_t* index) const noexcept {
  if (reference_.has_costs()) return reference_.ClassRow(bgr, count, index);
  std::visit([&](const auto& form) { RowsOf(form).ClassRow(bgr, count, index); }, form_);
}

double Posterior::ErrorBound() const {
  return std::visit([](const auto& form) { return RowsOf(form).ErrorBound(); }, form_);
}

const char* Posterior::form() const {
  if (std::holds_alternative<Folded>(form_)) return "quadratic";
  const auto* const table = std::get_if<std::shared_ptr<const Table>>(&form_);
  return table ? (*table)->form() : "mixture";
}

}  // namespace skinmask
#endif
