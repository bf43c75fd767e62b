#include "programs/cli/comparison_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/json.h"
#include "learn/class_counts_json.h"
#include "programs/cli/flag_hints.h"
#include "programs/cli/print.h"

namespace skinmask::cli {
namespace {

// For K classes: how many of each class's held-out pixels each model calls by their name.
void PrintClasses(const Comparison& comparison) {
  bool headed = false;
  for (const ComparedModel& m : comparison.models) {
    const ClassCounts counts = m.PooledClasses();
    if (counts.classes.empty()) continue;
    if (!headed) {
      Print("\nAccuracy, of all held-out pixels and of each class's\n\n{:<24} {:>12}", "", "all");
      for (const std::string& name : counts.classes) Print(" {:>12}", name);
      Print("\n");
      headed = true;
    }
    Print("{:<24} {:>12}", CandidateName(m.options), Shown(counts.Accuracy()));
    for (std::size_t k = 0; k < counts.classes.size(); ++k)
      Print(" {:>12}", Shown(counts.Recall(k)));
    Print("\n");
  }
}

Json EstimateJson(const ComparedModel& model, const Estimate& estimate,
                  std::optional<double> FoldScore::*member) {
  Json json{{"mean", OrNull(estimate.mean)}, {"standard_error", OrNull(estimate.standard_error)}};
  for (const FoldScore& fold : model.folds) json["folds"].push_back(OrNull(fold.*member));
  return json;
}

Json ModelJson(const ComparedModel& m) {
  Json json{{"name", CandidateName(m.options)},
            {"kind", KindName(m.options.kind)},
            {"space", m.options.features.space().name},
            {"channels", m.options.features.channel_names()},
            {"shrinkage", m.options.shrinkage.s ? Json(*m.options.shrinkage.s) : Json("auto")}};
  if (!m.problem.empty()) {
    json["problem"] = WithFlags(m.problem);
    return json;
  }
  json["auc"] = EstimateJson(m, m.Auc(), &FoldScore::auc);
  json["best_f1"] = EstimateJson(m, m.BestF1(), &FoldScore::best_f1);
  json["log_loss"] = EstimateJson(m, m.LogLoss(), &FoldScore::log_loss);
  json["fit_seconds"] = m.Seconds();
  const Confusion c = m.PooledCounts();
  json["pooled"] = {{"threshold", 0.5},
                    {"tp", c.tp},
                    {"fp", c.fp},
                    {"fn", c.fn},
                    {"tn", c.tn},
                    {"precision", OrNull(c.Precision())},
                    {"recall", OrNull(c.Recall())},
                    {"f1", OrNull(c.F1())},
                    {"log_loss", OrNull(m.PooledLogLoss())}};
  if (const ClassCounts classes = m.PooledClasses(); !classes.classes.empty())
    json["pooled"]["classes"] = JsonOf(classes);
  return json;
}

}  // namespace

std::string Division(const Folds& folds, const ComparisonSettings& settings) {
  return fmt::format("{} {} in {} folds, seed {}", folds.units().size(),
                     folds.by_group() ? "groups" : "colours", folds.count(), settings.seed);
}

void PrintComparison(const Comparison& comparison, const ComparisonSettings& settings) {
  std::size_t width = 24;
  for (const ComparedModel& m : comparison.models)
    width = std::max(width, CandidateName(m.options).size());
  Print("{}; sorted by {}\n\n", Division(comparison.folds, settings), settings.select);
  Print("{:<{}} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8}\n", "", width, "AUC", "+-",
        "best F1", "+-", "log-loss", "+-", "F1 at 0.5", "fit s");
  for (const ComparedModel& m : comparison.models) {
    Print("{:<{}}", CandidateName(m.options), width);
    if (!m.problem.empty()) {
      Print(" {}\n", WithFlags(m.problem));
      continue;
    }
    for (const Estimate& e : {m.Auc(), m.BestF1(), m.LogLoss()})
      Print(" {:>9} {:>9}", Shown(e.mean), Shown(e.standard_error));
    Print(" {:>9} {:>8.4f}\n", Shown(m.PooledCounts().F1()), m.Seconds());
  }
  PrintClasses(comparison);
}

std::string ComparisonToJson(const Comparison& comparison, const ComparisonSettings& settings) {
  const Folds& folds = comparison.folds;
  Json root{{"folds", folds.count()},
            {"seed", settings.seed},
            {"units", folds.by_group() ? "groups" : "colours"},
            {"unit_count", folds.units().size()},
            {"select", settings.select}};
  if (folds.by_group()) {
    for (const std::uint32_t group : folds.units()) {
      SampleRow row;
      row.group = group;
      root["fold_of_group"][std::to_string(group)] = folds.FoldOf(row) + 1;
    }
  }
  for (const ComparedModel& m : comparison.models) root["models"].push_back(ModelJson(m));
  return JsonText(root, 2) + "\n";
}

}  // namespace skinmask::cli
