// Rows of pixels to answers: the functions that exist once per CPU target, and what they take. Each
// calls the best target that this CPU has, or the one in force (skinmask/cpu.h); all targets give the
// same bits. Inputs and outputs need no alignment and may not overlap.
#pragma once

#include <cstddef>
#include <cstdint>

#include "skinmask/quadratic.h"

namespace skinmask::rows {

// 255 where the quadratic is negative, else 0.
void QuadraticMask(const FloatQuadratic& q, const std::uint8_t* bgr, std::size_t count,
                   std::uint8_t* mask);
// round(255 / (1 + 2^q)), and the same as a float without the 255.
void QuadraticProbability(const FloatQuadratic& q, const std::uint8_t* bgr, std::size_t count,
                          std::uint8_t* probability);
void QuadraticProbability(const FloatQuadratic& q, const std::uint8_t* bgr, std::size_t count,
                          float* probability);
// 1 where the quadratic is negative, else 0.
void QuadraticIsNegative(const FloatQuadratic& q, const std::uint8_t* bgr, std::size_t count,
                         std::uint8_t* one);
// q itself.
void QuadraticValue(const FloatQuadratic& q, const std::uint8_t* bgr, std::size_t count,
                    float* value);

}  // namespace skinmask::rows
