// Trains a model, with its threshold, scores and model card, from labelled pixels.
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
  // Data to choose the threshold and to score the model; absent: the training samples.
  std::optional<PairOptions> validation;
  std::string validation_name;
  std::optional<Samples> calibration;  // held-out data to calibrate the log-odds on
  std::string calibration_name;
  std::vector<std::pair<std::string, std::string>> notes;  // for the model card
};

// Fits the model, calibrates it, chooses the threshold, scores the model at 0.5 and at its
// threshold, and fills the model card, whose first score is that of the training samples. `run`
// receives progress of the fit's iterations, then of the validation images; a stop ends both. After
// a stop the result is unusable and may be empty.
Model Train(const Samples& samples, const TrainOptions& options, const Run& run);

}  // namespace skinmask
