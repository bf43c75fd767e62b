// A Posterior answers for each pixel what its model says: by the reference, which defines the
// answers, and by a compiled form.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <variant>
#include <vector>

#include "skinmask/model/mixture.h"
#include "skinmask/model/model.h"
#include "skinmask/model/quadratic.h"
#include "skinmask/model/reference.h"

namespace [[gnu::visibility("default")]] skinmask {

// What a Posterior will be used for. It changes speed, never results.
struct PosteriorOptions {
  // Models that need a table build it only if it pays: for 2^24 pixels and more.
  std::uint64_t expected_pixels = std::numeric_limits<std::uint64_t>::max();
  bool mask = true;         // MaskRow will be called
  bool probability = true;  // ProbabilityRow for bytes will be called

  bool operator==(const PosteriorOptions&) const = default;
};

// A compiled model. Row functions are total over every byte and safe to call from many threads;
// `bgr` holds 3 * count bytes, outputs take `count` elements and may not overlap the input; neither
// needs alignment. Results do not depend on the CPU, the count, the alignment or the number of
// threads.
//
// Models in affine spaces run as a CompiledQuadratic (two classes) or a CompiledMixture. All others
// look their answers up in a table over the 2^24 colours, built from the reference on construction
// (2 MiB for masks, 16 MiB for probabilities, about 0.2 s on two cores); of more than 8 Gaussians
// or classes it is filled (32 MiB) as colours are met.
class Posterior {
 public:
  // Throws Error where SKINMASK_TARGET names no usable CPU target, and for a model without classes.
  explicit Posterior(const Model& model, const PosteriorOptions& options = {});

  // 255 where P(positive | pixel) > model.decision.threshold, else 0.
  void MaskRow(const std::uint8_t* bgr, std::size_t count, std::uint8_t* mask) const noexcept;
  // round(255 * P(positive | pixel)).
  void ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
                      std::uint8_t* probability) const noexcept;
  // P(positive | pixel); without a table, so slower for models that need one.
  void ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
                      float* probability) const noexcept;
  // z in double, rounded to float: slower than the others, as exact as evaluation wants it.
  // (CompiledQuadratic and CompiledMixture have it at full speed within their bounds.)
  void LogOddsRow(const std::uint8_t* bgr, std::size_t count, float* z) const noexcept;
  // The index of the class with the greatest P(k | pixel), or the one that costs least by
  // Model::class_costs, which is slower (Reference); the lowest of equals; without a table.
  void ClassRow(const std::uint8_t* bgr, std::size_t count, std::uint8_t* index) const noexcept;

  // How far the log-odds that masks and probabilities see may be from exact arithmetic's.
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
