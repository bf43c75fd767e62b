// A curve calibrates log-odds and keeps each on its side of the threshold (docs/math.md,
// 'Calibration').
#pragma once

#include <optional>

#include "skinmask/learn/evaluation.h"
#include "skinmask/model/model.h"

namespace [[gnu::visibility("default")]] skinmask {

// The curve for which sigma(own + curve(z - own)) is the likeliest probability of the scored
// pixels, z their log-odds and `own` those of the threshold, among all with a jump on each side of
// the threshold and lines from 0, 2 and 4 log-odds beyond it on. Each side is a logistic regression
// whose coefficients have bounds, with a small penalty on what is not the identity, so that there
// is one maximum. `start`, brought within the bounds, is where the search for it begins: close to
// it, it is found sooner. Absent where a side has no pixels of both truths. Cost: some fifteen
// passes over the steps from the identity, and five from nearby.
std::optional<CalibrationCurve> FitCalibrationCurve(const Scores& scores, double own,
                                                    const CalibrationCurve& start = {});

}  // namespace skinmask
