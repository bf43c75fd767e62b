// Masks and probabilities straight from video frames in YUV, without converting them to BGR.
#pragma once

#include <cstddef>
#include <cstdint>

#include "skinmask/data/yuv_encoding.h"
#include "skinmask/model/quadratic.h"

namespace [[gnu::visibility("default")]] skinmask {

// q with its bytes (B, G, R) replaced by their affine functions of the bytes (Y, U, V). These are
// neither rounded nor clamped to 0..255: that is what keeps ten coefficients ten, and tells colours
// outside the RGB cube apart where a converted image would not.
Quadratic InYuv(const Quadratic& of_bgr, const YuvEncoding& encoding);

// One row of `count` pixels that starts at an even column. Chroma is that of the pixel's pair:
// neither moved nor smoothed. An odd last pixel has chroma of its own.
struct I420Row {
  const std::uint8_t* y;  // count
  const std::uint8_t* u;  // (count + 1) / 2
  const std::uint8_t* v;  // (count + 1) / 2
};
struct Nv12Row {
  const std::uint8_t* y;   // count
  const std::uint8_t* uv;  // 2 ((count + 1) / 2): U V U V ...
};
struct YuyvRow {
  const std::uint8_t* yuyv;  // 4 ((count + 1) / 2): Y U Y V ...
};

// Log-odds z as a quadratic of (B, G, R), compiled for frames in one encoding: chroma's share of
// the work is done once for two pixels. Answers as CompiledQuadratic's.
class CompiledYuvQuadratic {
 public:
  CompiledYuvQuadratic(const Quadratic& log_odds_of_bgr, const YuvEncoding& encoding,
                       double threshold);

  void MaskRow(const I420Row& row, std::size_t count, std::uint8_t* mask) const noexcept;
  void MaskRow(const Nv12Row& row, std::size_t count, std::uint8_t* mask) const noexcept;
  void MaskRow(const YuyvRow& row, std::size_t count, std::uint8_t* mask) const noexcept;
  void ProbabilityRow(const I420Row& row, std::size_t count,
                      std::uint8_t* probability) const noexcept;
  void ProbabilityRow(const Nv12Row& row, std::size_t count,
                      std::uint8_t* probability) const noexcept;
  void ProbabilityRow(const YuyvRow& row, std::size_t count,
                      std::uint8_t* probability) const noexcept;

  double ErrorBound() const { return error_bound_; }

 private:
  double error_bound_;
  FloatQuadratic below_threshold_;  // threshold - z
  FloatQuadratic log2_against_;     // -z / ln 2
};

}  // namespace skinmask
