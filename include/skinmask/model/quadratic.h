// A Quadratic holds log-odds as ten coefficients of the bytes; CompiledQuadratic evaluates them
// fast.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "skinmask/model/model.h"

namespace [[gnu::visibility("default")]] skinmask {

// A function of three bytes x:
//   q(x) = c + b'd + d'A d,  d = x - 128,  products in the order 00 01 02 11 12 22.
// For bytes (B, G, R), the discriminants of a Gaussian class in an affine space, and their
// differences, are of this form (docs/math.md).
struct Quadratic {
  double constant = 0;
  std::array<double, 3> linear{};
  std::array<double, 6> product{};

  // The greatest ErrorBound of what is evaluated in float; a probability's byte is off by at
  // most 1. A class that hardly varies (a plain background) has coefficients too large for that.
  static constexpr double kMaxError = 1. / 128;

  // Whether the model's log-odds are one quadratic that float is good enough for: two classes, each
  // of one Gaussian, or logistic, in an affine space.
  static bool CanFold(const Model& model);
  // The discriminant a_k of a class, up to a constant that all classes share; requires an affine
  // space.
  static Quadratic Discriminant(const Model& model, std::size_t class_index);
  static Quadratic Discriminant(const Features& features, double prior, const Gaussian& gaussian);
  // constant + linear'f + f'product f of features f in an affine space; `product` is symmetric.
  static Quadratic OfFeatures(const Features& features, double constant,
                              const FeatureVector& linear, const FeatureMatrix& product);

  Quadratic() = default;
  // The calibrated log-odds z of two classes, each of one Gaussian, or logistic, in an affine
  // space.
  explicit Quadratic(const Model& model);

  double operator()(const std::uint8_t* bytes) const noexcept;
  Quadratic operator-(const Quadratic& other) const;

  // The maximum of |c| + |b|'|d| + |d|'|A||d| over all bytes.
  double Magnitude() const;
  // The largest error of an evaluation in float for any bytes, with at most `roundings` roundings
  // between a coefficient and the sum (docs/math.md counts 7).
  double ErrorBound(int roundings = 7) const;
};

// threshold - z: negative where z is above the threshold; a constant if the threshold is infinite.
Quadratic BelowThreshold(const Quadratic& log_odds, double threshold);

// A quadratic in float, for coordinates given as integers 2^24 (byte - 128). A byte moved to the
// top of a 32-bit word with its highest bit inverted is that integer, so centring costs nothing.
// The powers of two are taken out of the coefficients here, without rounding.
struct FloatQuadratic {
  float constant = 0;
  std::array<float, 3> linear{};
  std::array<float, 6> product{};

  FloatQuadratic() = default;
  // Each coefficient is scale * q's, rounded to float once.
  FloatQuadratic(const Quadratic& q, double scale);
};

// Log-odds z as a quadratic, compiled for SIMD: about 4 ms for 3840 x 2160 pixels to masks on one
// core with AVX-512. Row functions as in Posterior.
class CompiledQuadratic {
 public:
  // `threshold` is on z, and may be infinite.
  CompiledQuadratic(const Quadratic& log_odds, double threshold);

  void MaskRow(const std::uint8_t* bgr, std::size_t count, std::uint8_t* mask) const noexcept;
  void ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
                      std::uint8_t* probability) const noexcept;
  void ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
                      float* probability) const noexcept;
  void LogOddsRow(const std::uint8_t* bgr, std::size_t count, float* z) const noexcept;
  void ClassRow(const std::uint8_t* bgr, std::size_t count, std::uint8_t* index) const noexcept;

  // The largest difference between the row functions' z and the exact quadratic. Masks are exact
  // wherever |z - threshold| is larger.
  double ErrorBound() const { return error_bound_; }

 private:
  double error_bound_;
  FloatQuadratic below_threshold_;  // threshold - z
  FloatQuadratic log2_against_;     // -z / ln 2
  FloatQuadratic log_odds_;         // z
};

}  // namespace skinmask
