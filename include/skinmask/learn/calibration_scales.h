// Two scales calibrate log-odds, one on each side of the threshold (docs/math.md, 'Calibration').
#pragma once

#include <optional>

#include "skinmask/learn/evaluation.h"
#include "skinmask/model/model.h"

namespace [[gnu::visibility("default")]] skinmask {

// The scales for which sigma(own + scales(z - own)) is the likeliest probability of the scored
// pixels, z their log-odds and `own` those of the threshold, where P stays what it is. Each side of
// the threshold has a scale of its own, so these are two logistic regressions of one coefficient
// with a given intercept, whose likelihoods have one maximum each. Absent where a side has no
// pixels of both truths, or no maximum within what CalibrationScales may be. Cost: some ten passes
// over the steps.
std::optional<CalibrationScales> FitCalibrationScales(const Scores& scores, double own);

}  // namespace skinmask
