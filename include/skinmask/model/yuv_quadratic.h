// CompiledYuvQuadratic makes masks and probabilities of video frames in YUV without converting them
// to BGR.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "skinmask/data/yuv_encoding.h"
#include "skinmask/model/quadratic.h"

namespace [[gnu::visibility("default")]] skinmask {

// q with its bytes (B, G, R) replaced by their affine functions of the bytes (Y, U, V). These are
// neither rounded nor clamped to 0..255: that is what keeps ten coefficients ten, and tells colours
// outside the RGB cube apart where a converted image would not.
Quadratic InYuv(const Quadratic& of_bgr, const YuvEncoding& encoding);

// One row of pixels that starts at a column where chroma has a sample. Chroma is that of the
// pixel's pair (of kI444 the pixel's own): neither moved nor smoothed. The last pixel of an odd
// number of them has chroma of its own.
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

// Log-odds z as a quadratic of (B, G, R), compiled for frames in one encoding: chroma's share of
// the work is done once for the pixels that share it. Answers as CompiledQuadratic's.
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
