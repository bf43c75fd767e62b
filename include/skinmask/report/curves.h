// Curves and a histogram show the log-odds of scored pixels (docs/math.md, 'Report').
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "skinmask/learn/evaluation.h"
#include "skinmask/report/picture.h"

namespace [[gnu::visibility("default")]] skinmask {

// A point of every curve: what is above `log_odds` is called positive.
struct CurvePoint {
  double log_odds;
  Confusion counts;
};

struct Curve {
  std::vector<CurvePoint> points;   // by descending log-odds, from 'nothing' to 'everything'
  std::size_t operating_point = 0;  // its index among them
};

// `scores` has a point for each step, 100,000 and more. This keeps about `count` of them, evenly
// spaced along the curves (by the sum of the changes of recall, false-positive rate, precision and
// P), with both ends and `operating_point` as it is. Cost: two passes over the steps.
Curve ThinnedCurve(const Scores& scores, const CurvePoint& operating_point, std::size_t count);

// Scores of a model, and where it decides.
struct ScoredModel {
  std::string name;
  const Scores& scores;
  CurvePoint operating_point;
};

// A picture of error rates against the threshold and of the ROC curve, of the first model, and
// dashed of others. Throws Error where Cairo fails.
std::string DrawCurves(std::span<const ScoredModel> models, const std::string& positive,
                       PictureFormat format);

// Counts of log-odds per class in bins of equal width. Scores beyond the ends are in the end bins.
struct LogOddsHistogram {
  double low = 0, width = 1;
  std::vector<std::uint64_t> positive, negative;
};

// Bins that reach from the least 2.5 % quantile of the two classes to the greatest 97.5 % one.
LogOddsHistogram LogOddsHistogramOf(const Scores& scores, int bin_count);

}  // namespace skinmask
