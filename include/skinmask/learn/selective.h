// Risk against coverage: the quality of a model that may abstain (docs/math.md, 'Abstaining';
// El-Yaniv and Wiener 2010, 'On the foundations of noise-free selective classification').
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "skinmask/learn/evaluation.h"

namespace [[gnu::visibility("default")]] skinmask {

// The share of pixels that are answered, and the share of these that is wrong.
struct SelectivePoint {
  double coverage = 0;
  std::optional<double> risk;  // absent if no pixel is answered
};

// Pixels of log-odds above `high` are called positive, those of at most `low` negative, and the
// others are not answered. Absent without pixels.
std::optional<SelectivePoint> Abstaining(const Scores& scores, double low, double high);

// Pixels whose log-odds are farther from the threshold are answered first, those of one step
// together; those above it are called positive.
struct SelectiveCurve {
  std::vector<SelectivePoint> points;  // about `count`, by rising coverage up to all pixels
  double area = 0;                     // under the curve of all steps: the mean risk
};
SelectiveCurve SelectiveCurveOf(const Scores& scores, double threshold, std::size_t count);

}  // namespace skinmask
