// Confidence intervals of scores over images (docs/math.md, 'Report').
#pragma once

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

// 95 % intervals by the jackknife over images (Efron and Tibshirani 1993, chapter 11), because
// pixels of one image are not independent, and images nearly are. The ratios are those of Ratios();
// pooled ones are followed by `ece` and `ece_middle`. Pooled ratios come from sums of the images'
// confusion counts and squared errors; measures of ranks and calibration come from the report's
// blocks of scores. An interval is absent with fewer than two images, and if the ratio is 0 or 1,
// also without any one of the images. Cost: images * 1 us, and blocks * 10 us.
struct ReportIntervals {
  static constexpr double kConfidence = 0.95;
  NamedIntervals pooled, mean_per_image;
};
ReportIntervals IntervalsOf(const EvaluationReport& report);

// Intervals of the differences of two reports on the same images, `a` less `b`, leaving each image
// out of both: effects that the images have on both cancel. Throws Error if the images differ.
ReportIntervals IntervalsOfDifference(const EvaluationReport& a, const EvaluationReport& b);

}  // namespace skinmask
