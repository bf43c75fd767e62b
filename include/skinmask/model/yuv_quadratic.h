// CompiledYuvQuadratic makes masks and probabilities of video frames in YUV without converting them
// to BGR.
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

// One row of `count` pixels that starts at a column where chroma has a sample. Chroma is that of
// the pixel's pair (of I444Row the pixel's own, of I411Row that of its four): neither moved nor
// smoothed. Pixels left over at the end have chroma of their own.
struct I420Row {
  const std::uint8_t* y;  // count
  const std::uint8_t* u;  // (count + 1) / 2
  const std::uint8_t* v;  // (count + 1) / 2
};
struct I444Row {
  const std::uint8_t* y;  // count
  const std::uint8_t* u;  // count
  const std::uint8_t* v;  // count
};
struct I411Row {
  const std::uint8_t* y;  // count
  const std::uint8_t* u;  // (count + 3) / 4
  const std::uint8_t* v;  // (count + 3) / 4
};
struct Nv12Row {
  const std::uint8_t* y;   // count
  const std::uint8_t* uv;  // 2 ((count + 1) / 2): U V U V ...
};
struct YuyvRow {
  const std::uint8_t* yuyv;  // 4 ((count + 1) / 2): Y U Y V ...
};

// Log-odds z as a quadratic of (B, G, R), compiled for frames in one encoding: chroma's share of
// the work is done once for the pixels that share it. Answers as CompiledQuadratic's.
class CompiledYuvQuadratic {
 public:
  CompiledYuvQuadratic(const Quadratic& log_odds_of_bgr, const YuvEncoding& encoding,
                       double threshold);

  void MaskRow(const I420Row& row, std::size_t count, std::uint8_t* mask) const noexcept;
  void MaskRow(const I444Row& row, std::size_t count, std::uint8_t* mask) const noexcept;
  void MaskRow(const I411Row& row, std::size_t count, std::uint8_t* mask) const noexcept;
  void MaskRow(const Nv12Row& row, std::size_t count, std::uint8_t* mask) const noexcept;
  void MaskRow(const YuyvRow& row, std::size_t count, std::uint8_t* mask) const noexcept;
  void ProbabilityRow(const I420Row& row, std::size_t count,
                      std::uint8_t* probability) const noexcept;
  void ProbabilityRow(const I444Row& row, std::size_t count,
                      std::uint8_t* probability) const noexcept;
  void ProbabilityRow(const I411Row& row, std::size_t count,
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
