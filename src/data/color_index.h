// An index for every colour that keeps similar colours near each other.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skinmask {

// Of each pixel, bits from the top:
//   b >> 3 (5)   g >> 3 (5)   r >> 3 (5)   b & 7 (3)   g & 7 (3)   r & 7 (3)
// Blocks of 8 x 8 x 8 colours lie together, so that the colours of a photograph share cache lines.
void ColorIndices(const std::uint8_t* bgr, std::size_t count, std::uint32_t* indices);

}  // namespace skinmask
