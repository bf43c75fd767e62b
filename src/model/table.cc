#include "model/table.h"

#include <array>
#include <cmath>

#include "skinmask/base/logistic.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/table.cc"
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
  static constexpr bool kAllBytes = false;
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

SKINMASK_EXPORT(TableMaskRow);
SKINMASK_EXPORT(TableByteRow);

namespace {

// The number of densities that a colour needs.
std::size_t DensityCount(const Model& model) {
  std::size_t count = 0;
  for (const ClassModel& c : model.classes) count += std::max<std::size_t>(1, c.components.size());
  return count;
}

}  // namespace

std::uint8_t ProbabilityByte(double log_odds) {
  // Beyond these log-odds 255 P is within 0.49 of 0 or 255, so most colours need no exp.
  constexpr double kFar = 6.26;
  if (log_odds > kFar) return 255;
  if (log_odds < -kFar) return 0;
  return static_cast<std::uint8_t>(std::lround(255 * Logistic(log_odds)));
}

Posterior::Table::Table(const Model& model, const PosteriorOptions& options)
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

void Posterior::Table::FillRow(std::size_t first, const std::uint8_t* bgr) {
  std::array<double, kColorsOfRow> z;
  reference_.LogOddsRow(bgr, z.size(), z.data());
  for (std::size_t b = 0; b < z.size(); ++b) {
    if (!bits_.empty()) bits_[(first + b) / 32] |= std::uint32_t{z[b] > threshold_} << (b % 32);
    if (!bytes_.empty()) bytes_[first + b] = ProbabilityByte(z[b]);
  }
}

void BitOfColorRow(const std::uint32_t* bits, const std::uint8_t* bgr, std::size_t count,
                   std::uint8_t* mask) noexcept {
  SKINMASK_DISPATCH(TableMaskRow)(bits, bgr, count, mask);
}

template <class Use>
void Posterior::Table::MemoRow(const std::uint8_t* bgr, std::size_t count,
                               const Use& use) const noexcept {
  const auto find = [this](const std::uint8_t* of, std::size_t n, ColorMemo::Word* words) {
    ReferenceRow(reference_, of, n, words, [this](double z) {
      const auto above = z > threshold_ ? kAbove : ColorMemo::Word{0};
      return static_cast<ColorMemo::Word>(kKnown | above | ProbabilityByte(z));
    });
  };
  memo_->Row(bgr, count, find, use);
}

void Posterior::Table::MaskRow(const std::uint8_t* bgr, std::size_t count,
                               std::uint8_t* mask) const noexcept {
  if (memo_)
    MemoRow(bgr, count, [&](std::size_t i, ColorMemo::Word word) {
      mask[i] = static_cast<std::uint8_t>(word & kAbove ? 255 : 0);
    });
  else if (bits_.empty())
    ReferenceRow(reference_, bgr, count, mask,
                 [this](double z) { return static_cast<std::uint8_t>(z > threshold_ ? 255 : 0); });
  else
    BitOfColorRow(bits_.data(), bgr, count, mask);
}

void Posterior::Table::ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
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

void Posterior::Table::ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
                                      float* probability) const noexcept {
  ReferenceRow(reference_, bgr, count, probability,
               [](double z) { return static_cast<float>(Logistic(z)); });
}

}  // namespace skinmask
#endif
