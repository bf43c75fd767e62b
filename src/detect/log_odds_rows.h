// Masks and probabilities from log-odds, row by row.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skinmask {

// 255 where z is above the threshold's log-odds, else 0; round(255 P). The same on every CPU.
void MaskRowOf(const float* z, std::size_t count, float threshold, std::uint8_t* mask);
void ProbabilityRowOf(const float* z, std::size_t count, std::uint8_t* probability);
// round(65535 P), to within 0.05 of the exact value before it is rounded.
void ProbabilityRowOf(const float* z, std::size_t count, std::uint16_t* probability);
// P, to within 2^-21.
void ProbabilityRowOf(const float* z, std::size_t count, float* probability);

}  // namespace skinmask
