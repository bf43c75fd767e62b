// A calibration curve maps log-odds and keeps each on its side of the threshold (docs/math.md,
// 'Calibration').
#pragma once

#include <optional>

#include "skinmask/learn/evaluation.h"
#include "skinmask/model/model.h"

namespace [[gnu::visibility("default")]] skinmask {

// Fits the curve for which sigma(own + curve(z - own)) is the most likely probability of the scored
// pixels, where z are their log-odds and `own` those of the threshold. The curve has a jump on each
// side of the threshold, and lines from 0, 2 and 4 log-odds beyond it. Each side is a logistic
// regression with bounded coefficients and a small penalty on the difference from the identity, so
// there is one maximum. The search begins at `start`, clamped to the bounds; near the maximum it is
// shorter. Absent if a side does not have pixels of both truths. Cost: some fifteen passes over the
// steps from the identity, five from nearby.
std::optional<CalibrationCurve> FitCalibrationCurve(const Scores& scores, double own,
                                                    const CalibrationCurve& start = {});

}  // namespace skinmask
