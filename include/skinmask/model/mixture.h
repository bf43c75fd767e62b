// CompiledMixture classifies by mixtures of Gaussians without a table: for models of more than two
// components, and for models that change with every image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "skinmask/model/quadratic.h"

namespace [[gnu::visibility("default")]] skinmask {

struct MixtureView;

// log(weight * density) as a quadratic of the bytes, up to a constant that all components share,
// and the component's class. Class 0 is the positive one.
struct MixtureComponent {
  Quadratic log_density;
  int class_index = 0;
};

// With components k and classes c(k), for pixel x:
//   P(c | x) = sum over c(k) = c of exp q_k(x)  /  sum over all k of exp q_k(x)
// A mask of four components costs about five times a CompiledQuadratic's. Row functions as in
// Posterior.
class CompiledMixture {
 public:
  static constexpr std::size_t kMaxComponents = 64;

  // `threshold` is on the log-odds of class 0 against all others, and may be infinite. Throws Error
  // unless there are at most kMaxComponents, class indices are 0..255, and class 0 and another
  // class have components.
  CompiledMixture(std::span<const MixtureComponent> components, double threshold);

  void MaskRow(const std::uint8_t* bgr, std::size_t count, std::uint8_t* mask) const noexcept;
  void ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
                      std::uint8_t* probability) const noexcept;
  void ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
                      float* probability) const noexcept;
  void LogOddsRow(const std::uint8_t* bgr, std::size_t count, float* z) const noexcept;
  // The class with the greatest P(c | x); the lowest of equals.
  void ClassRow(const std::uint8_t* bgr, std::size_t count, std::uint8_t* index) const noexcept;

  // As CompiledQuadratic's. LogOddsRow has an additional error of 2^-22 (8 + |z|).
  double ErrorBound() const { return error_bound_; }

  // For row functions with more inputs than the colour; valid as long as this object.
  MixtureView View() const noexcept;

 private:
  MixtureView ViewOf(const std::vector<FloatQuadratic>& ratios) const noexcept;

  double threshold_;
  double error_bound_ = 0;
  std::size_t positives_ = 0;
  bool one_each_ = true;
  // Binary logarithms of the ratios to the first component, class by class; for masks the
  // threshold's odds are multiplied to the other classes.
  std::vector<FloatQuadratic> ratios_, mask_ratios_;
  std::vector<std::uint8_t> classes_;
};

}  // namespace skinmask
