// From a model to answers per pixel: the reference that defines them, and the compiled form.
#pragma once

#include <Eigen/Cholesky>
#include <array>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "skinmask/model.h"
#include "skinmask/quadratic.h"

namespace skinmask {

// log(P / (1 - P)); -inf at 0, +inf at 1.
double Logit(double probability);
// 1 / (1 + exp(-z)), accurate at both ends.
double Logistic(double log_odds);

// The answer by definition, in double and by Cholesky solves, without any folding (docs/math.md).
// Slow (about 50 ns a pixel); every compiled form is tested against it.
class Reference {
 public:
  explicit Reference(const Model& model);

  int class_count() const { return static_cast<int>(classes_.size()); }

  // Discriminants a_k = log prior + log density, up to a common constant; takes class_count() doubles.
  void Discriminants(const std::int32_t* carrier, double* a) const noexcept;
  // z = log P(positive | pixel) / P(not positive | pixel), for the carriers of `count` pixels.
  void LogOddsRow(const std::int32_t* carrier, std::size_t count, double* z) const noexcept;
  // P(k | pixel) for each class, from bytes.
  std::vector<double> Posteriors(std::uint8_t b, std::uint8_t g, std::uint8_t r) const;
  double LogOdds(std::uint8_t b, std::uint8_t g, std::uint8_t r) const;

 private:
  struct Component {
    double constant;  // log prior - log det / 2
    std::array<double, 3> mean;
    std::array<std::array<double, 3>, 3> lower;  // L of covariance = L L'
  };
  const ColorSpace* space_;
  std::size_t size_;  // features
  std::array<std::array<double, 3>, 3> matrix_;
  std::array<double, 3> offset_;
  std::vector<Component> classes_;
};

// A compiled model. Row functions are total over every byte and safe to call from many threads; `bgr`
// holds 3 * count bytes, outputs take `count` elements and may not overlap the input; neither needs
// alignment. Results do not depend on the CPU, the count, the alignment or the number of threads.
//
// Two-component models in affine spaces run as a CompiledQuadratic. All others run as a table over the
// 2^24 colours, built from the reference on construction (18 MiB, about 0.5 s on two cores).
class Posterior {
 public:
  // Throws Error where SKINMASK_TARGET names no usable CPU target.
  explicit Posterior(const Model& model);

  // 255 where P(positive | pixel) > model.decision.threshold, else 0.
  void MaskRow(const std::uint8_t* bgr, std::size_t count, std::uint8_t* mask) const noexcept;
  // round(255 * P(positive | pixel)).
  void ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
                      std::uint8_t* probability) const noexcept;
  // z in double, rounded to float: slower than the others, as exact as evaluation wants it. (A
  // CompiledQuadratic has it at full speed within its bound.)
  void LogOddsRow(const std::uint8_t* bgr, std::size_t count, float* z) const noexcept;

  // How far the log-odds that masks and probabilities see may be from exact arithmetic's.
  double ErrorBound() const;
  const char* form() const;  // "quadratic" or "table"

 private:
  struct Table {
    Reference reference;
    const ColorSpace* space;
    std::vector<std::uint64_t> mask;         // a bit per colour, index r << 16 | g << 8 | b
    std::vector<std::uint8_t> probability;   // a byte per colour
  };
  static Table BuildTable(const Model& model);

  struct Folded {
    Quadratic log_odds;
    CompiledQuadratic compiled;
  };

  double log_odds_threshold_;
  std::variant<Folded, Table> form_;
};

}  // namespace skinmask
