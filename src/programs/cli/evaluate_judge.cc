#include "programs/cli/evaluate_judge.h"

#include "programs/cli/sample_source.h"
#include "programs/cli/signals.h"

namespace skinmask::cli {

Run Again(const Run& run) {
  Run again;
  again.progress = run.progress;
  again.stop = run.stop;
  return again;
}

EvaluationReport Judge(Model& model, const std::optional<DecisionRule>& rule, const Run& run,
                       const JudgeFunction& judge) {
  if (rule && rule->kind == DecisionRule::Kind::kFixed) model.decision = {rule->value, "fixed", ""};
  EvaluationReport report = judge(model, run, std::nullopt);
  if (rule && rule->kind != DecisionRule::Kind::kFixed && report.pooled.counts.Total() > 0 &&
      !StopFlag()) {
    const std::optional<OperatingPoint> point = Choose(*report.scores, *rule);
    model.decision = Decide(*report.scores, *rule, "the evaluated data");
    const Run again = Again(run);
    // The rule fits the threshold to masks, whatever they mark; the model's own tells more of them.
    const bool inverted = report.masks_look_inverted;
    report = judge(model, again, point->log_odds);
    report.masks_look_inverted = inverted;
  }
  report.decision = model.decision;
  return report;
}

EvaluationReport Report(const EvaluateFlags& flags, std::optional<Model>& model,
                        const std::shared_ptr<const Adapter>& adapter, const Run& run) {
  if (!model) return EvaluatePredicted(PairsOf(flags), run);
  const std::optional<DecisionRule> rule = RuleOf(flags.decision);
  if (!flags.pairs.images.empty())
    return Judge(*model, rule, run, [&](const Model& m, const Run& r, std::optional<double> above) {
      return EvaluateImages(flags.pairs, Detector(m, adapter, {.expected = {.expected_pixels = 0}}),
                            r, above, ByTone(flags.by));
    });
  const Samples samples = ReadTables(flags.samples);
  return Judge(*model, rule, run, [&](const Model& m, const Run&, std::optional<double>) {
    return EvaluateTable(samples, m);
  });
}

}  // namespace skinmask::cli
