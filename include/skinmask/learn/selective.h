// Risk against coverage tells what a model is worth that may say 'I do not know' (docs/math.md,
// 'Abstaining'; El-Yaniv and Wiener 2010, 'On the foundations of noise-free selective
// classification').
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "skinmask/learn/evaluation.h"

namespace [[gnu::visibility("default")]] skinmask {

// Of the pixels that are answered: their share of all, and the share of them that is wrong.
struct SelectivePoint {
  double coverage = 0;
  std::optional<double> risk;  // absent where nothing is answered
};

// Pixels of log-odds above `high` are called positive, those of at most `low` negative, and the
// others are not answered. Absent without pixels.
std::optional<SelectivePoint> Abstaining(const Scores& scores, double low, double high);

// The pixels whose log-odds are farthest from the threshold are answered first, pixels of a step
// together; those above it are called positive.
struct SelectiveCurve {
  std::vector<SelectivePoint> points;  // by rising coverage, about `count`, the last of all pixels
  double area = 0;                     // under the curve of all steps: the mean risk over coverages
};
SelectiveCurve SelectiveCurveOf(const Scores& scores, double threshold, std::size_t count);

}  // namespace skinmask
