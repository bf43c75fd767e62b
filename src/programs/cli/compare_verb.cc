#include "skinmask/learn/compare.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "programs/cli/common.h"
#include "skinmask/base/file.h"
#include "skinmask/learn/folds.h"
#include "skinmask/pipeline/train.h"

namespace skinmask::cli {
namespace {

struct Options {
  std::vector<std::string> samples;
  PairOptions pairs;
  std::vector<std::string> kinds{"qda",      "lda",          "gaussian-nb", "mixture",
                                 "logistic", "histogram-nb", "histogram"};
  std::vector<std::string> spaces{"BGR", "YCrCb", "rg", "HSV", "Lab", "Luv"};
  std::vector<std::string> channels{"all"}, shrinkages{"0"};
  std::string covariance = "mle", positive = "skin", select = "auc", output;
  std::size_t folds = 5;
  std::uint64_t seed = 0;
  DecisionOptions decision;
};

Shrinkage ShrinkageOf(const std::string& text) {
  if (text == "auto") return {std::nullopt};
  double s = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), s);
  if (error != std::errc() || end != text.data() + text.size() || !(s >= 0 && s <= 1))
    throw UsageError(fmt::format("--shrinkage '{}' is out of range (0 to 1, or auto)", text));
  return {s};
}

std::vector<FitOptions> CandidatesOf(const Options& options) {
  CandidateNames names{options.kinds, options.spaces, options.channels, {}, {}};
  if (names.spaces == std::vector<std::string>{"all"}) {
    names.spaces.clear();
    for (const ColorSpace& space : ColorSpaces()) names.spaces.emplace_back(space.name);
  }
  for (const std::string& s : options.shrinkages) names.shrinkages.push_back(ShrinkageOf(s));
  names.base.positive = options.positive;
  if (options.covariance == "unbiased") names.base.estimator = Estimator::kUnbiased;
  return AsUsage([&] { return Candidates(names); });
}

// "101 groups in 5 folds, seed 0"
std::string Division(const Folds& folds, const Options& options) {
  return fmt::format("{} {} in {} folds, seed {}", folds.units().size(),
                     folds.by_group() ? "groups" : "colours", folds.count(), options.seed);
}

std::string Shown(const std::optional<double>& value) {
  return value ? fmt::format("{:.6f}", *value) : "-";
}

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

void PrintTable(const Comparison& comparison, const Options& options) {
  std::size_t width = 24;
  for (const ComparedModel& m : comparison.models)
    width = std::max(width, CandidateName(m.options).size());
  Print("{}; sorted by {}\n\n", Division(comparison.folds, options), options.select);
  Print("{:<{}} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8}\n", "", width, "AUC", "+-",
        "best F1", "+-", "log-loss", "+-", "F1 at 0.5", "fit s");
  for (const ComparedModel& m : comparison.models) {
    Print("{:<{}}", CandidateName(m.options), width);
    if (!m.problem.empty()) {
      Print(" {}\n", m.problem);
      continue;
    }
    for (const Estimate& e : {m.Auc(), m.BestF1(), m.LogLoss()})
      Print(" {:>9} {:>9}", Shown(e.mean), Shown(e.standard_error));
    Print(" {:>9} {:>8.4f}\n", Shown(m.PooledCounts().F1()), m.Seconds());
  }
  PrintClasses(comparison);
}

using Json = nlohmann::ordered_json;

Json OrNull(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

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
    json["problem"] = m.problem;
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
    json["pooled"]["classes"] = Json::parse(ClassCountsToJson(classes));
  return json;
}

std::string ComparisonJson(const Comparison& comparison, const Options& options) {
  const Folds& folds = comparison.folds;
  Json root{{"folds", folds.count()},
            {"seed", options.seed},
            {"units", folds.by_group() ? "groups" : "colours"},
            {"unit_count", folds.units().size()},
            {"select", options.select}};
  if (folds.by_group()) {
    for (const std::uint32_t group : folds.units()) {
      SampleRow row;
      row.group = group;
      root["fold_of_group"][std::to_string(group)] = folds.FoldOf(row) + 1;
    }
  }
  for (const ComparedModel& m : comparison.models) root["models"].push_back(ModelJson(m));
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Trains the best model on everything.
void WriteBest(const Samples& samples, const Comparison& comparison, const Options& options,
               Context& context, const Run& run) {
  const ComparedModel& best = comparison.models.front();
  const Criterion criterion = CriterionFromName(options.select);
  const Estimate estimate = criterion == Criterion::kAuc      ? best.Auc()
                            : criterion == Criterion::kBestF1 ? best.BestF1()
                                                              : best.LogLoss();
  TrainOptions train;
  train.fit = best.options;
  train.rule = RuleOf(options.decision).value_or(DecisionRule());
  train.notes.emplace_back(
      "compare", fmt::format("{}: best of {} by {}, {} +- {} ({})", CandidateName(best.options),
                             comparison.models.size(), options.select, Shown(estimate.mean),
                             Shown(estimate.standard_error), Division(comparison.folds, options)));
  const Model model = Train(samples, train, run);
  if (StopFlag()) return;
  WriteFile(options.output, ModelToJson(model), context.overwrite());
}

void RunCompare(const Options& options, Context& context) {
  CheckSource(options.samples, options.pairs, "--masks");
  CheckPairOptions(options.pairs);
  const std::vector<FitOptions> candidates = CandidatesOf(options);
  if (options.output.empty() && RuleOf(options.decision))
    throw UsageError("a threshold or rule is for the model of --write");
  RequireApart(options.output, "--write", context.json, "--json");
  for (const std::string& file : options.samples)
    RequireApart(options.output, "--write", file, "--samples");
  if (!options.output.empty()) RequireWritable(options.output, context.overwrite());
  const Samples samples = options.samples.empty()
                              ? CollectSamples(options.pairs, context.StartRun("images"))
                              : ReadAllSamples(options.samples);
  if (StopFlag()) return;
  Comparison comparison = [&] {  // a scope for the progress bar
    const Run run = context.StartRun("fits");
    return Compare(
        samples, candidates,
        {options.folds, options.seed, CriterionFromName(options.select), run.progress, run.stop});
  }();
  if (StopFlag()) return;  // scores of a part would pass for the whole
  if (!context.json_to_stdout()) PrintTable(comparison, options);
  context.WriteJson(ComparisonJson(comparison, options));
  if (!comparison.models.front().problem.empty())
    throw Error("candidates", "none could be fitted (each one's line says why)");
  if (!options.output.empty())
    WriteBest(samples, comparison, options, context, context.StartRun("images"));
}

void AddCandidateFlags(CLI::App& verb, Options& options) {
  const auto list = [&](CLI::Option* option, const char* type) {
    return option->group("Candidates")->type_name(type)->capture_default_str();
  };
  list(verb.add_option("--kinds", options.kinds, "Kinds of model"), "A,B")->delimiter(',');
  list(verb.add_option("--spaces", options.spaces, "Colour spaces, or all"), "A,B")->delimiter(',');
  list(verb.add_option("--channels", options.channels,
                       "all, subsets (every one of each space), or channels, for the spaces that "
                       "have them; repeatable"),
       "all|subsets|A,B")
      ->allow_extra_args(false);
  list(verb.add_option("--shrinkage", options.shrinkages, "As for train, of qda and lda"), "S,auto")
      ->delimiter(',');
  list(verb.add_option("--covariance", options.covariance, "mle or unbiased"), "ESTIMATOR")
      ->check(CLI::IsMember({"mle", "unbiased"}));
  list(verb.add_option("--positive", options.positive, "The class to find"), "CLASS");
}

void AddChoiceFlags(CLI::App& verb, Options& options) {
  const auto one = [&](CLI::Option* option, const char* type) {
    return option->group("Choice")->type_name(type);
  };
  one(verb.add_option("--folds", options.folds, "Parts to divide images (or colours) into"), "N")
      ->check(CLI::Range(2, 1 << 16))
      ->capture_default_str();
  one(verb.add_option("--seed", options.seed, "Another number divides otherwise"), "N")
      ->capture_default_str();
  one(verb.add_option("--select", options.select, "What the best is best by: auc, f1 or log-loss"),
      "SCORE")
      ->check(CLI::IsMember({"auc", "f1", "log-loss"}))
      ->capture_default_str();
  one(verb.add_option("--write", options.output, "Train the best on everything and write it here"),
      "MODEL");
}

}  // namespace

void AddCompare(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = AddVerb(app, "compare", "Choose between models by cross-validation",
                           "  skinmask compare --images photos --masks masks --step 4\n"
                           "  skinmask compare --samples s.csv --kinds qda,lda --spaces all "
                           "--select f1 --write best.json",
                           context);
  verb->add_option("--samples", options->samples, "Tables of labelled pixels")->type_name("FILE");
  verb->add_option("--images", options->pairs.images, "Folder of images")->type_name("DIR");
  verb->add_option("--masks", options->pairs.masks, "Folder of their masks")->type_name("DIR");
  verb->add_option("--step", options->pairs.step, "Of images, every N-th pixel of every N-th row")
      ->check(CLI::Range(1, 1 << 20))
      ->type_name("N")
      ->capture_default_str();
  AddCandidateFlags(*verb, *options);
  AddChoiceFlags(*verb, *options);
  AddDecisionOptions(*verb, options->decision, "0.5");
  AddPairOptions(*verb, options->pairs);
  AddForceOption(*verb, context);
  AddJsonOption(*verb, context);
  verb->callback(
      [options, &context] { context.action = [options](Context& c) { RunCompare(*options, c); }; });
}

}  // namespace skinmask::cli
