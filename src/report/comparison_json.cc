#include <fmt/format.h>

#include "base/json.h"
#include "pipeline/results_json.h"
#include "skinmask/report/comparison.h"

namespace skinmask {
namespace {

Json EstimateJson(const ComparedModel& model, std::optional<double> FoldScore::*member) {
  const Estimate estimate = model.MeanOf(member);
  Json json{{"mean", OrNull(estimate.mean)}, {"standard_error", OrNull(estimate.standard_error)}};
  for (const FoldScore& fold : model.folds) json["folds"].push_back(OrNull(fold.*member));
  return json;
}

Json DescriptionJson(const ComparedModel& m) {
  const Features& features = m.given ? m.given->model.features : m.options.features;
  Json json{{"name", m.Name()},
            {"given", m.given.has_value()},
            {"kind", KindName(m.given ? m.given->model.kind : m.options.kind)},
            {"space", features.space().name},
            {"channels", features.channel_names()}};
  if (!m.given)
    json["shrinkage"] = m.options.shrinkage.s ? Json(*m.options.shrinkage.s) : Json("auto");
  return json;
}

Json PooledJson(const ComparedModel& m) {
  const Confusion c = m.PooledCounts();
  Json json{{"threshold", 0.5}};
  json.update(JsonOf(c));
  json.update({{"precision", OrNull(c.Precision())},
               {"recall", OrNull(c.Recall())},
               {"f1", OrNull(c.F1())},
               {"log_loss", OrNull(m.PooledLogLoss())}});
  if (const ClassCounts classes = m.PooledClasses(); !classes.classes.empty())
    json["classes"] = JsonOf(classes);
  return json;
}

// The difference from the best model, by the selected criterion.
Json DifferenceJson(const PairedDifference& d) {
  const bool spreads = d.mean && d.reach;
  return {{"mean", OrNull(d.mean)},
          {"standard_error", OrNull(d.standard_error)},
          {"interval", spreads ? Json{*d.mean - *d.reach, *d.mean + *d.reach} : Json()}};
}

Json ModelJson(const ComparedModel& m, const std::optional<Choice>& choice, std::size_t index) {
  Json json = DescriptionJson(m);
  if (!m.problem.empty()) {
    json["problem"] = m.problem;
    return json;
  }
  json["parameters"] = m.Parameters();
  if (choice) {
    json["within_one_standard_error"] = static_cast<bool>(choice->within[index]);
    json["difference"] = DifferenceJson(choice->differences[index]);
  }
  json["auc"] = EstimateJson(m, &FoldScore::auc);
  json["best_f1"] = EstimateJson(m, &FoldScore::best_f1);
  json["log_loss"] = EstimateJson(m, &FoldScore::log_loss);
  json["accuracy"] = EstimateJson(m, &FoldScore::accuracy);
  json["class_log_loss"] = EstimateJson(m, &FoldScore::class_log_loss);
  json["log_likelihood"] = OrNull(m.MeanOf(&FoldScore::log_likelihood).mean);
  json["aic"] = OrNull(m.MeanOf(&FoldScore::aic).mean);
  json["bic"] = OrNull(m.MeanOf(&FoldScore::bic).mean);
  json["fit_seconds"] = m.given ? Json() : Json(m.Seconds());
  json["pooled"] = PooledJson(m);
  return json;
}

Json FoldOfGroupJson(const Folds& folds) {
  Json json;
  for (const std::uint32_t group : folds.units()) {
    SampleRow row;
    row.group = group;
    json[std::to_string(group)] = folds.FoldOf(row) + 1;
  }
  return json;
}

}  // namespace

std::string DivisionOf(const Comparison& comparison) {
  const Folds& folds = comparison.folds;
  return fmt::format("{} {} in {} folds, seed {}", folds.units().size(),
                     folds.by_group() ? "groups" : "colours", folds.count(), comparison.seed);
}

std::string ComparisonToJson(const Comparison& comparison) {
  const Folds& folds = comparison.folds;
  const std::vector<ComparedModel>& models = comparison.models;
  Json root{{"folds", folds.count()},
            {"seed", comparison.seed},
            {"units", folds.by_group() ? "groups" : "colours"},
            {"unit_count", folds.units().size()},
            {"select", CriterionName(comparison.select)}};
  if (folds.by_group()) root["fold_of_group"] = FoldOfGroupJson(folds);
  const std::optional<Choice> choice = OneStandardErrorRule(comparison);
  root["choice"] = choice ? Json{{"best", models.front().Name()},
                                 {"limit", choice->limit},
                                 {"within", std::ranges::count(choice->within, true)},
                                 {"simplest", models[choice->simplest].Name()},
                                 {"parameters", models[choice->simplest].Parameters()}}
                          : Json();
  for (std::size_t i = 0; i < models.size(); ++i)
    root["models"].push_back(ModelJson(models[i], choice, i));
  return JsonText(root, 2) + "\n";
}

}  // namespace skinmask
