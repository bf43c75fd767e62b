#include "skinmask/pipeline/train.h"

#include <fmt/format.h>
#include <tbb/parallel_invoke.h>

#include "pipeline/bytes_as_text.h"
#include "skinmask/base/error.h"
#include "skinmask/learn/class_counts.h"
#include "skinmask/pipeline/evaluate.h"

namespace skinmask {
namespace {

// Fits the model; absent after a stop.
std::optional<Model> FitOf(const Samples& samples, FitOptions options, const Run& run) {
  options.progress = run.progress;
  options.stop = run.stop;
  run.counting("iterations");
  try {
    Model model = Fit(samples, options);
    if (!run.Stopped()) return model;
  } catch (const Error&) {
    if (!run.Stopped()) throw;
  }
  return std::nullopt;
}

// Describes the failed convergence, with a remedy.
std::string NotConverged(const Model& model) {
  if (model.kind != Kind::kLogistic) return "EM did not converge (more `iterations`)";
  const LogisticTerms& l = model.logistic;
  const bool newton = l.solver == SolverName(LogisticOptions::Solver::kNewton);
  return fmt::format("{} did not converge in {} iteration{} (more `iterations`, {})", l.solver,
                     l.iterations, l.iterations == 1 ? "" : "s",
                     newton ? "or a larger `ridge`" : "another `rate`, or `solver` newton");
}

Evaluation EvaluateOn(const TrainOptions& options, const Samples& samples, const Model& model,
                      const Run& run) {
  if (!options.validation) return EvaluateSamples(samples, model);
  EvaluationReport report = EvaluateImages(*options.validation, Detector(model, nullptr), run);
  return {report.pooled.counts, std::move(report.scores)};
}

CardScore ScoreOf(const Evaluation& evaluation, const Model& model, const std::string& data) {
  const Metrics m = MetricsOf(evaluation);
  return {data, model.decision.threshold, m.precision, m.recall, m.f1, m.auc};
}

// Calibrates P(skin) for the prior of the calibration data, which is stored with the calibration,
// because another prior is computed from it. If the user has given a prior, it is applied at once.
void Calibrate(const TrainOptions& options, Model& model) {
  // By colour and class alone, so that a division into groups changes nothing.
  const Samples samples = options.calibration->Ungrouped();
  model.calibration = FitCalibration(samples, model, options.calibration_name);
  std::uint64_t positive = 0;
  for (const SampleRow& row : samples.rows())
    if (samples.classes()[row.class_index] == model.positive().name) positive += row.count;
  model.calibration.prior = static_cast<double>(positive) / static_cast<double>(samples.Total());
  if (options.fit.positive_prior || !options.fit.priors.empty())
    model = WithPrior(std::move(model), model.positive().prior);
}

}  // namespace

Model Train(const Samples& samples, const TrainOptions& options, const Run& run) {
  std::optional<Model> fitted = FitOf(samples, options.fit, run);
  if (!fitted) return {};
  Model model = *std::move(fitted);
  if (!model.converged)
    run.warning(fmt::format("{}: {}", KindName(model.kind), NotConverged(model)));
  for (const ClassModel& c : model.classes)
    if (const auto asked = options.fit.mixture.Of(c.name);
        model.kind == Kind::kMixture && std::ssize(c.components) < asked)
      run.warning(
          fmt::format("class '{}': has {} Gaussians instead of {}, because no more got pixels",
                      c.name, c.components.size(), asked));
  if (options.validation) run.counting("images");
  if (options.calibration) Calibrate(options, model);
  model.card.notes = options.notes;
  const bool fixed = options.rule.kind == DecisionRule::Kind::kFixed;
  const std::string own = "training samples";
  const std::string data = options.validation ? options.validation_name : own;
  model.decision.threshold = fixed ? options.rule.value : 0.5;
  Validate(model, "trained model");
  Evaluation first;
  std::string digest;
  tbb::parallel_invoke([&] { first = EvaluateOn(options, samples, model, run); },
                       [&] { digest = Sha256(FormatSamples(samples.Ungrouped())); });
  model.card.sha256 = digest;
  if (options.validation)
    model.card.scores.push_back(ScoreOf(EvaluateSamples(samples, model), model, own));
  model.card.scores.push_back(ScoreOf(first, model, data));
  if (const auto loss = ClassLogLoss(samples, model))
    model.card.scores.front().log_likelihood = -*loss * static_cast<double>(samples.Total());
  if (fixed || run.Stopped()) return model;
  model.decision = Decide(*first.scores, options.rule, data);
  // Evaluated again instead of derived from the steps of the scores, so that the card has the real
  // counts of the model.
  const Evaluation second = EvaluateOn(options, samples, model, run.Again());
  run.RequireAsBefore(first.counts.Total(), second.counts.Total());
  model.card.scores.push_back(ScoreOf(second, model, data));
  return model;
}

}  // namespace skinmask
