// From labelled pixels to a model with its threshold, scores and card.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "skinmask/data/samples.h"
#include "skinmask/learn/decision.h"
#include "skinmask/learn/fit.h"
#include "skinmask/model/model.h"
#include "skinmask/pipeline/collect_samples.h"
#include "skinmask/pipeline/run.h"

namespace [[gnu::visibility("default")]] skinmask {

struct TrainOptions {
  FitOptions fit;
  DecisionRule rule;  // on pooled pixels
  // Data to choose the threshold on and to score the model with; none: the training samples.
  std::optional<PairOptions> validation;
  std::string validation_name;
  std::optional<Samples> calibration;  // held-out data to calibrate the log-odds on
  std::string calibration_name;
  std::vector<std::pair<std::string, std::string>> notes;  // for the card
};

// Fits, calibrates, chooses the threshold, scores the model at 0.5 and at its threshold, and fills
// the card, whose first score is of the training samples. The run is told the fit's iterations,
// which a stop ends as well, and then the images of the validation. After a stop what it returns is
// of no use, and may be empty.
Model Train(const Samples& samples, const TrainOptions& options, const Run& run);

}  // namespace skinmask
