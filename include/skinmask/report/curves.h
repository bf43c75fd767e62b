// Curves and a histogram of the log-odds of scored pixels (docs/math.md, 'Report').
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "skinmask/learn/decision.h"
#include "skinmask/learn/evaluation.h"
#include "skinmask/report/picture.h"

namespace [[gnu::visibility("default")]] skinmask {

struct Curve {
  std::vector<OperatingPoint> points;  // by descending log-odds, from 'nothing' to 'everything'
  std::size_t operating_point = 0;     // its index among them
  // For each point the lowest log-odds of the pixels that it calls positive (the middle of their
  // bin, where scores are in bins): here its counts begin. Infinite for 'nothing'.
  std::vector<double> scores;
};

// `scores` has a point for each step, which may be 100,000 and more. This keeps about `count` of
// them, evenly spaced along the curves (by the sum of the changes of recall, false-positive rate,
// precision and P), both ends, and `operating_point` unchanged; all of them where they are fewer.
// Cost: two passes over the steps.
Curve ThinnedCurve(const Scores& scores, const OperatingPoint& operating_point, std::size_t count);

struct ScoredModel {
  std::string name;
  const Scores& scores;
  OperatingPoint operating_point;
};

// A picture of the error rates against the threshold and of the ROC curve: lines of the first
// model, dashed lines of the others. Throws Error if Cairo fails.
std::string DrawCurves(std::span<const ScoredModel> models, const std::string& positive,
                       PictureFormat format);

// Counts of log-odds per class in bins of equal width. Scores beyond the ends are in the outermost
// bins.
struct LogOddsHistogram {
  double low = 0, width = 1;
  std::vector<std::uint64_t> positive, negative;
};

// The bins range from the lower of the two classes' 2.5 % quantiles to the higher of their 97.5 %
// quantiles, rounded outwards.
LogOddsHistogram LogOddsHistogramOf(const Scores& scores, int bin_count);

}  // namespace skinmask
