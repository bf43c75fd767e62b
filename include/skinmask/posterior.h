// From a model to answers per pixel: the reference that defines them, and the compiled form.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <variant>
#include <vector>

#include "skinmask/mixture.h"
#include "skinmask/model.h"
#include "skinmask/quadratic.h"

namespace skinmask {

// log(P / (1 - P)); -inf at 0, +inf at 1.
double Logit(double probability);
// 1 / (1 + exp(-z)), accurate at both ends.
double Logistic(double log_odds);

// The answer by definition, in double and by Cholesky solves, without any folding (docs/math.md).
// Slow (about 15 ns a pixel and two classes); every compiled form is tested against it.
class Reference {
 public:
  explicit Reference(const Model& model);

  int class_count() const { return static_cast<int>(classes_); }

  // Discriminants a_k = log prior + log density, up to a common constant; takes class_count() doubles.
  void Discriminants(const std::int32_t* carrier, double* a) const noexcept;
  // z = log P(positive | pixel) / P(not positive | pixel), for the carriers of `count` pixels.
  void LogOddsRow(const std::int32_t* carrier, std::size_t count, double* z) const noexcept;
  // The same from bytes.
  void LogOddsRow(const std::uint8_t* bgr, std::size_t count, double* z) const noexcept;
  // The class with the greatest P(k | pixel), the lowest of equals.
  void ClassRow(const std::uint8_t* bgr, std::size_t count, std::uint8_t* index) const noexcept;
  // P(k | pixel) for each class, from bytes.
  std::vector<double> Posteriors(std::uint8_t b, std::uint8_t g, std::uint8_t r) const;
  double LogOdds(std::uint8_t b, std::uint8_t g, std::uint8_t r) const;

 private:
  // Places beyond the model's features hold a feature that is always 0, with mean 0 and variance 1.
  struct HistogramLogs;
  struct Component {
    double constant;  // log(prior * weight) - log det / 2
    std::array<double, 3> mean;
    std::array<double, 6> cholesky;  // L of the covariance LL', by rows: 00 10 11 20 21 22
  };
  using Point = std::array<double, 3>;
  static Component ComponentOf(const ClassModel& c, const Gaussian& gaussian);
  static double Density(const Component& component, const Point& f) noexcept;

  void AddGaussians(const Model& model);
  void AddLogistic(const Model& model);
  void AddHistograms(const Model& model);
  Point FeaturesOf(const std::int32_t* carrier) const noexcept;
  void MixtureDiscriminants(const Point& f, double* a) const noexcept;
  void LogisticDiscriminants(const Point& f, double* a) const noexcept;
  void HistogramDiscriminants(const Point& f, double* a) const noexcept;
  void Calibrate(double* a) const noexcept;

  const ColorSpace* space_;
  std::size_t classes_;
  Kind kind_;
  bool calibrated_;
  Calibration calibration_;
  std::array<std::array<double, 3>, 3> matrix_{};
  Point offset_{};
  std::vector<Component> components_;  // by class
  std::vector<std::size_t> ends_;      // of each class's components
  double log_prior_odds_ = 0;          // logistic
  LogisticTerms logistic_;
  std::size_t size_;
  std::shared_ptr<const HistogramLogs> histograms_;
};

// What a Posterior will be used for. It changes speed, never results.
struct PosteriorOptions {
  // Models that need a table build it only if it pays: for 2^24 pixels and more.
  std::uint64_t expected_pixels = std::numeric_limits<std::uint64_t>::max();
  bool mask = true;         // MaskRow will be called
  bool probability = true;  // ProbabilityRow for bytes will be called
};

// A compiled model. Row functions are total over every byte and safe to call from many threads; `bgr`
// holds 3 * count bytes, outputs take `count` elements and may not overlap the input; neither needs
// alignment. Results do not depend on the CPU, the count, the alignment or the number of threads.
//
// Models in affine spaces run as a CompiledQuadratic (two classes) or a CompiledMixture. All others
// look their answers up in a table over the 2^24 colours, built from the reference on construction
// (2 MiB for masks, 16 MiB for probabilities, about 0.2 s on two cores).
class Posterior {
 public:
  // Throws Error where SKINMASK_TARGET names no usable CPU target.
  explicit Posterior(const Model& model, const PosteriorOptions& options = {});

  // 255 where P(positive | pixel) > model.decision.threshold, else 0.
  void MaskRow(const std::uint8_t* bgr, std::size_t count, std::uint8_t* mask) const noexcept;
  // round(255 * P(positive | pixel)).
  void ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
                      std::uint8_t* probability) const noexcept;
  // P(positive | pixel); without a table, so slower for models that need one.
  void ProbabilityRow(const std::uint8_t* bgr, std::size_t count, float* probability) const noexcept;
  // z in double, rounded to float: slower than the others, as exact as evaluation wants it.
  // (CompiledQuadratic and CompiledMixture have it at full speed within their bounds.)
  void LogOddsRow(const std::uint8_t* bgr, std::size_t count, float* z) const noexcept;
  // The index of the class with the greatest P(k | pixel), the lowest of equals; without a table.
  void ClassRow(const std::uint8_t* bgr, std::size_t count, std::uint8_t* index) const noexcept;

  // How far the log-odds that masks and probabilities see may be from exact arithmetic's.
  double ErrorBound() const;
  std::size_t class_count() const { return static_cast<std::size_t>(reference_.class_count()); }
  const char* form() const;  // "quadratic", "mixture", "table" or "reference"

 private:
  class Table;
  struct Folded {
    Quadratic log_odds;
    CompiledQuadratic compiled;
  };
  using Form = std::variant<Folded, CompiledMixture, std::shared_ptr<const Table>>;
  static Form Compile(const Model& model, const PosteriorOptions& options);

  Reference reference_;
  Form form_;
};

}  // namespace skinmask
