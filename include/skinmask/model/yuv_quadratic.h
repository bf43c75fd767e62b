// CompiledYuvQuadratic makes masks and probabilities of video frames in YUV without conversion to
// BGR.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "skinmask/data/yuv_encoding.h"
#include "skinmask/model/quadratic.h"

namespace [[gnu::visibility("default")]] skinmask {

// The quadratic of bytes (B, G, R) as a quadratic of bytes (Y, U, V), by their affine relation. B,
// G and R are neither rounded nor clamped to 0..255: otherwise ten coefficients would not suffice.
// So colours outside the RGB cube stay different, where a converted image would make them equal.
Quadratic InYuv(const Quadratic& of_bgr, const YuvEncoding& encoding);

// A row of pixels that starts at a column with a sample of chroma. Each pixel has the chroma of its
// pair (for kI444 its own), without shift or interpolation. With an odd number of pixels, the last
// one has chroma of its own.
struct YuvRow {
  enum class Layout {
    kI444,  // Y, U and V, a byte of each to a pixel
    kI422,  // the same with U and V a byte to a pair
    kNv12,  // Y, and U V to a pair
    kYuyv,  // Y U Y V to a pair
  };
  // The bytes (Y, U, V) of pixel x.
  std::array<std::uint8_t, 3> Pixel(std::size_t x) const;

  Layout layout;
  std::array<const std::uint8_t*, 3> plane;  // as many as the layout has
};

// Log-odds z as a quadratic of (B, G, R), compiled for frames of one encoding: the terms of chroma
// are computed once for the pixels that share it. Results as CompiledQuadratic's.
class CompiledYuvQuadratic {
 public:
  CompiledYuvQuadratic(const Quadratic& log_odds_of_bgr, const YuvEncoding& encoding,
                       double threshold);

  void MaskRow(const YuvRow& row, std::size_t count, std::uint8_t* mask) const noexcept;
  void ProbabilityRow(const YuvRow& row, std::size_t count,
                      std::uint8_t* probability) const noexcept;

  double ErrorBound() const { return error_bound_; }

 private:
  double error_bound_;
  FloatQuadratic below_threshold_;  // threshold - z
  FloatQuadratic log2_against_;     // -z / ln 2
};

}  // namespace skinmask
