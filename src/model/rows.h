// Rows of pixels to answers: the functions that exist once per CPU target, and what they take. Each
// calls the best target that this CPU has, or the one in force (skinmask/cpu.h); all targets give
// the same bits. Inputs and outputs need no alignment and may not overlap.
#pragma once

#include <cstddef>
#include <cstdint>

#include "skinmask/model/quadratic.h"
#include "skinmask/model/yuv_quadratic.h"

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

// The same of the quadratic of (Y, U, V).
void YuvMask(const FloatQuadratic& q, const I420Row& row, std::size_t count, std::uint8_t* mask);
void YuvProbability(const FloatQuadratic& q, const I420Row& row, std::size_t count,
                    std::uint8_t* probability);
void YuvMask(const FloatQuadratic& q, const Nv12Row& row, std::size_t count, std::uint8_t* mask);
void YuvProbability(const FloatQuadratic& q, const Nv12Row& row, std::size_t count,
                    std::uint8_t* probability);
void YuvMask(const FloatQuadratic& q, const YuyvRow& row, std::size_t count, std::uint8_t* mask);
void YuvProbability(const FloatQuadratic& q, const YuyvRow& row, std::size_t count,
                    std::uint8_t* probability);

// A mixture of components k = 0 .. count - 1 by class, class 0 first, as the powers of two of their
// ratios to component 0:  p_k / p_0 = 2^u_k.
struct MixtureView {
  static constexpr std::size_t kMaxCount = 64;
  std::size_t count;            // >= 2
  std::size_t positives;        // components of class 0, 1 .. count - 1
  const FloatQuadratic* u;      // count of them, the first 0
  const std::uint8_t* classes;  // of each component
  bool one_each;                // no class has two components
};

// 255 where the positives' sum is greater than the others'.
void MixtureMask(const MixtureView& m, const std::uint8_t* bgr, std::size_t count,
                 std::uint8_t* mask);
// The positives' share of the sum: round(255 P), P, and ln(P / (1 - P)).
void MixtureProbability(const MixtureView& m, const std::uint8_t* bgr, std::size_t count,
                        std::uint8_t* probability);
void MixtureProbability(const MixtureView& m, const std::uint8_t* bgr, std::size_t count,
                        float* probability);
void MixtureLogOdds(const MixtureView& m, const std::uint8_t* bgr, std::size_t count, float* z);
// The class with the greatest sum; the lowest of equals.
void MixtureClass(const MixtureView& m, const std::uint8_t* bgr, std::size_t count,
                  std::uint8_t* index);

// 2^x and ln x as the others compute them, for tests.
void Exp2Row(const float* x, std::size_t count, float* y);
void LogRow(const float* x, std::size_t count, float* y);

// A bit and a byte for every colour r << 16 | g << 8 | b.
constexpr std::size_t kColors = std::size_t{1} << 24;

// 255 where the colour's bit is set, else 0; kColors / 32 words, lowest bit first.
void TableMask(const std::uint32_t* bits, const std::uint8_t* bgr, std::size_t count,
               std::uint8_t* mask);
// The colour's byte; kColors + kBytePadding bytes, the last of which do not matter.
constexpr std::size_t kBytePadding = 3;
void TableByte(const std::uint8_t* bytes, const std::uint8_t* bgr, std::size_t count,
               std::uint8_t* byte);

}  // namespace skinmask::rows
