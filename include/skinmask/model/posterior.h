// A Posterior evaluates a model at every pixel: by the reference, which defines the results, and by
// a faster compiled form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <variant>

#include "skinmask/model/mixture.h"
#include "skinmask/model/model.h"
#include "skinmask/model/quadratic.h"
#include "skinmask/model/reference.h"

namespace [[gnu::visibility("default")]] skinmask {

// The expected use of a Posterior. It changes speed, never results.
struct PosteriorOptions {
  // Models that need a table build it only for 2^24 pixels or more.
  std::uint64_t expected_pixels = std::numeric_limits<std::uint64_t>::max();
  bool mask = true;         // MaskRow will be called
  bool probability = true;  // ProbabilityRow for bytes will be called

  bool operator==(const PosteriorOptions&) const = default;
};

// A compiled model. Row functions accept every byte and are safe to call from many threads. `bgr`
// has 3 * count bytes; outputs have `count` elements and must not overlap the input; neither needs
// alignment. Results do not depend on the CPU, the count, the alignment or the number of threads.
//
// Models in affine spaces run as a CompiledQuadratic (two classes) or a CompiledMixture, if float
// is good enough for their coefficients (Quadratic::kMaxError). All other models use a table of the
// 2^24 colours, which the constructor fills from the reference (2 MiB for masks, 16 MiB for
// probabilities, about 0.2 s on two cores). With more than 8 Gaussians or classes the table (32
// MiB) is filled when colours first occur.
class Posterior {
 public:
  // Throws Error if SKINMASK_TARGET names no usable CPU target, and for a model without classes.
  explicit Posterior(const Model& model, const PosteriorOptions& options = {});

  // 255 where P(positive | pixel) > model.decision.threshold, else 0.
  void MaskRow(const std::uint8_t* bgr, std::size_t count, std::uint8_t* mask) const noexcept;
  // round(255 * P(positive | pixel)).
  void ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
                      std::uint8_t* probability) const noexcept;
  // P(positive | pixel). Does not use a table, so it is slower for models that need one.
  void ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
                      float* probability) const noexcept;
  // The log-odds z in double, rounded to float: slower than the others, for evaluation.
  // (CompiledQuadratic and CompiledMixture compute z at full speed within their error bounds.)
  void LogOddsRow(const std::uint8_t* bgr, std::size_t count, float* z) const noexcept;
  // The index of the class with the greatest P(k | pixel); with Model::class_costs, of the class
  // with the least expected cost, which is slower (Reference). Among equals the lowest. Does not
  // use a table.
  void ClassRow(const std::uint8_t* bgr, std::size_t count, std::uint8_t* index) const noexcept;

  // The largest error of the log-odds behind masks and probabilities.
  double ErrorBound() const;
  std::size_t class_count() const { return static_cast<std::size_t>(reference_.class_count()); }
  const char* form() const;  // "quadratic", "mixture", "table", "memo" or "reference"

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
