// Intervals over images tell how sure scores are (docs/math.md, 'Report').
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "skinmask/pipeline/evaluate.h"

namespace [[gnu::visibility("default")]] skinmask {

struct Interval {
  double low, high;
};
using NamedIntervals = std::vector<std::pair<std::string, std::optional<Interval>>>;

// 95 % percentile intervals of a bootstrap over images (Efron, Tibshirani 1993): pixels of one
// image are not independent, images nearly are. Ratios as in Ratios(); pooled ones come from the
// sums of the images' confusion counts, so that pooled auc, average_precision and brier, which have
// no counts, are absent; so is everything with fewer than two images. The same for every machine
// and thread count. Cost: resamples * images * 10 ns.
struct BootstrapIntervals {
  static constexpr double kConfidence = 0.95;
  // Of a report: as many resamples, from this seed.
  static constexpr int kResamples = 1000;
  static constexpr std::uint64_t kSeed = 1;
  NamedIntervals pooled, mean_per_image;
};
BootstrapIntervals Bootstrap(const EvaluationReport& report, int resamples, std::uint64_t seed);

// Of the differences of two reports on the same images, `a` less `b`, by the same resamples of
// both: what images have in common drops out. Throws Error where their images are others.
BootstrapIntervals BootstrapDifference(const EvaluationReport& a, const EvaluationReport& b,
                                       int resamples, std::uint64_t seed);

}  // namespace skinmask
