// Exp2 computes powers of two in plain loops, with the same bits as the row functions.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace skinmask {

// 2^x by the arithmetic of Exp2 in base/pixels-inl.h, which explains it.
inline float Exp2(float x) {
  constexpr float kRound = 0x1.8p23f;
  x = std::min(std::max(-126.f, x), 126.f);
  const float shifted = x + kRound, f = x - (shifted - kRound);
  float p = 0x1.c6b6e4p-5f + f * (0x1.3d0c52p-7f + f * 0x1.5c08e6p-10f);
  p = 0x1.62e428p-1f + f * (0x1.ebf918p-3f + f * p);
  p = 0x1.000002p+0f + f * p;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(p) +
                              (std::bit_cast<std::uint32_t>(shifted) << 23));
}

}  // namespace skinmask
