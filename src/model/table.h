// A table holds answers by colour, for models that no arithmetic form fits.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/color_memo.h"
#include "skinmask/model/posterior.h"
#include "skinmask/model/reference.h"

namespace skinmask {

// of_z(z) of every pixel, z by the reference.
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

// round(255 P) of log-odds.
std::uint8_t ProbabilityByte(double log_odds);

// 255 where the colour's bit is set, else 0; `bits` has one for each of the 2^24 colours
// r << 16 | g << 8 | b, lowest first.
void BitOfColorRow(const std::uint32_t* bits, const std::uint8_t* bgr, std::size_t count,
                   std::uint8_t* mask) noexcept;

// The reference's answers to each of the 2^24 colours, of models of many densities to those that
// come; or the reference itself for what `options` do not ask for, and for too few pixels to earn a
// table. The bytes are the same.
class Posterior::Table {
 public:
  Table(const Model& model, const PosteriorOptions& options);

  void MaskRow(const std::uint8_t* bgr, std::size_t count, std::uint8_t* mask) const noexcept;
  void ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
                      std::uint8_t* probability) const noexcept;
  const char* form() const {
    if (memo_) return "memo";
    return built() ? "table" : "reference";
  }

 private:
  // Colours count as r << 16 | g << 8 | b.
  static constexpr std::size_t kColors = std::size_t{1} << 24;
  // Bytes are gathered as words that begin with them, the last colour's too.
  static constexpr std::size_t kBytePadding = 3;

  // Of a word of the memo, which holds both answers: the lowest byte is the probability.
  static constexpr ColorMemo::Word kKnown = 1 << 9, kAbove = 1 << 8;

  bool built() const { return !bits_.empty() || !bytes_.empty(); }
  void FillRow(std::size_t first, const std::uint8_t* bgr);
  template <class Use>
  void MemoRow(const std::uint8_t* bgr, std::size_t count, const Use& use) const noexcept;

  Reference reference_;
  double threshold_;
  std::optional<ColorMemo> memo_;
  std::vector<std::uint32_t> bits_;  // of masks, a bit for each colour, lowest first; or empty
  std::vector<std::uint8_t> bytes_;  // of probabilities, and kBytePadding more; or empty
};

}  // namespace skinmask
