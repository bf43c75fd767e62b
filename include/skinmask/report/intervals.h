// Intervals over images tell how sure scores are (docs/math.md, 'Report').
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

// 95 % intervals by the jackknife over images (Efron and Tibshirani 1993, chapter 11): pixels of
// one image are not independent, images nearly are. Ratios as in Ratios(), and of the pooled ones
// `ece` and `ece_middle` after them; pooled ones come from the sums of the images' confusion counts
// and squared errors, and those of ranks and calibration from the report's blocks of scores.
// Absent is everything with fewer than two images, and what is 0 or 1, or would be without one of
// the images. Cost: images * 1 us, and blocks * 10 us.
struct ReportIntervals {
  static constexpr double kConfidence = 0.95;
  NamedIntervals pooled, mean_per_image;
};
ReportIntervals IntervalsOf(const EvaluationReport& report);

// Of the differences of two reports on the same images, `a` less `b`, each image left out of both:
// what images have in common drops out. Throws Error where their images are others.
ReportIntervals IntervalsOfDifference(const EvaluationReport& a, const EvaluationReport& b);

}  // namespace skinmask
