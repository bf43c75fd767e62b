// Counts of scores by bin as bytes (docs/formats.md, 'Packed scores').
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "skinmask/base/error.h"

namespace skinmask {

// Numbers of seven bits a byte, the lowest first; all but the last byte of one have their top bit
// set (LEB128).
inline void AppendNumber(std::uint64_t number, std::string& bytes) {
  for (; number >= 128; number >>= 7) bytes.push_back(static_cast<char>(number | 128));
  bytes.push_back(static_cast<char>(number));
}

inline std::uint64_t TakeNumber(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (int shift = 0; !bytes.empty() && shift < 63; shift += 7) {
    const auto byte = static_cast<std::uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    number |= std::uint64_t{byte & 127u} << shift;
    if (byte < 128) return number;
  }
  throw Error("scores", "end within a number, or hold one beyond 2^63");
}

// What follows the gap before a bin: most bins of one photograph hold one or a few pixels of one
// side.
enum Content : std::uint64_t { kOneNegative, kOnePositive, kNegatives, kBoth, kContents };

// Appends a bin that is not empty, after `gap` bins that are.
inline void AppendBin(std::uint64_t gap, std::uint64_t positive, std::uint64_t negative,
                      std::string& bytes) {
  const Content content = positive == 0 ? negative == 1 ? kOneNegative : kNegatives
                          : positive == 1 && negative == 0 ? kOnePositive
                                                           : kBoth;
  AppendNumber(gap * kContents + content, bytes);
  if (content == kBoth) AppendNumber(positive, bytes);
  if (content == kBoth || content == kNegatives) AppendNumber(negative, bytes);
}

// Calls take(bin, positive, negative) for what AppendBin wrote of so many bins. Throws Error for
// anything else.
template <class Take>
void ForEachBin(std::string_view packed, std::size_t bin_count, const Take& take) {
  std::size_t next = 0;
  std::uint64_t total = 0;
  while (!packed.empty()) {
    const std::uint64_t word = TakeNumber(packed), gap = word / kContents;
    const std::uint64_t content = word % kContents;
    if (gap >= bin_count - next)
      throw Error("scores", fmt::format("have more than {} bins", bin_count));
    std::uint64_t positive = content == kOnePositive, negative = content == kOneNegative;
    if (content == kBoth) positive = TakeNumber(packed);
    if (content == kBoth || content == kNegatives) negative = TakeNumber(packed);
    constexpr std::uint64_t kMax = std::uint64_t{1} << 60;
    if (positive + negative == 0 || positive + negative > kMax - total)
      throw Error("scores", "count no pixels, or too many");
    total += positive + negative;
    take(next + gap, positive, negative);
    next += gap + 1;
  }
}

}  // namespace skinmask
