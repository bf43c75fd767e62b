// How `evaluate` judges a model: once, or twice where a rule chooses its threshold.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "programs/cli/evaluate_flags.h"
#include "skinmask/detect/adapt.h"
#include "skinmask/learn/decision.h"
#include "skinmask/pipeline/evaluate.h"

namespace skinmask::cli {

// Judges all that there is; with `above`, as EvaluateImages has it.
using JudgeFunction =
    std::function<EvaluationReport(const Model&, const Run&, std::optional<double> above)>;

// A second run over the same files: what there was to say of them has been said.
Run Again(const Run& run);

// Judges the model with the rule's threshold, which it then has; a rule that chooses it on the very
// same data judges twice.
EvaluationReport Judge(Model& model, const std::optional<DecisionRule>& rule, const Run& run,
                       const JudgeFunction& judge);

// What the flags ask for. `model` is absent for masks that were made before; `adapter` null where
// nothing is adapted.
EvaluationReport Report(const EvaluateFlags& flags, std::optional<Model>& model,
                        const std::shared_ptr<const Adapter>& adapter, const Run& run);

}  // namespace skinmask::cli
