#include "skinmask/learn/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/json.h"
#include "base/nearest.h"
#include "base/parse.h"
#include "programs/cli/comparison_output.h"
#include "programs/cli/decision_flags.h"
#include "programs/cli/flag_hints.h"
#include "programs/cli/option_checks.h"
#include "programs/cli/pair_flags.h"
#include "programs/cli/print.h"
#include "programs/cli/sample_source.h"
#include "programs/cli/signals.h"
#include "programs/cli/usage_error.h"
#include "programs/cli/verb.h"
#include "programs/cli/verbs.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/pipeline/train.h"
#include "skinmask/report/comparison.h"

namespace skinmask::cli {
namespace {

struct Options {
  std::vector<std::string> samples;
  PairOptions pairs;
  std::vector<std::string> kinds{"qda",      "lda",          "gaussian-nb", "mixture",
                                 "logistic", "histogram-nb", "histogram"};
  std::vector<std::string> spaces{"BGR", "YCrCb", "rg", "HSV", "Lab", "Luv"};
  std::vector<std::string> channels{"all"}, shrinkages{"0"};
  std::vector<std::string> models;  // files, and kDefault
  std::string covariance = "mle", positive = "skin", select = "auc", take = "best", output, report;
  std::size_t folds = 5;
  std::uint64_t seed = 0;
  DecisionFlags decision;
};

constexpr std::string_view kNone = "none";        // as the one kind: nothing is trained
constexpr std::string_view kDefault = "default";  // as a model: the built-in one

Shrinkage ShrinkageOf(const std::string& text) {
  if (text == "auto") return {std::nullopt};
  const auto s = ParseNumber<double>(text);
  if (!s || !(*s >= 0 && *s <= 1))
    throw UsageError(fmt::format("--shrinkage '{}' is out of range (0 to 1, or auto)", text));
  return {*s};
}

std::vector<FitOptions> CandidatesOf(const Options& options) {
  if (options.kinds == std::vector<std::string>{std::string(kNone)}) return {};
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

// What stands beside the candidates. A model of another class would be asked another question.
std::vector<GivenModel> ModelsOf(const Options& options) {
  std::vector<GivenModel> models;
  for (const std::string& name : options.models) {
    if (std::ranges::find(models, name, &GivenModel::name) != models.end()) continue;
    std::error_code ignored;
    if (name != kDefault && !std::filesystem::exists(name, ignored) &&
        !Nearest(name, {std::string(kDefault)}).empty())
      throw UsageError(fmt::format("--models {}: is no file (did you mean {}?)", name, kDefault));
    models.push_back({name, name == kDefault ? DefaultModel() : ReadModel(name)});
    if (const std::string& finds = models.back().model.positive().name; finds != options.positive)
      throw Error(name, fmt::format("finds '{}', not '{}' (--positive names the class to find)",
                                    finds, options.positive));
  }
  return models;
}

// The candidates alone. A given model is there already, and needs no training.
Comparison CandidatesAlone(Comparison comparison) {
  std::erase_if(comparison.models, [](const ComparedModel& m) { return m.given.has_value(); });
  return comparison;
}

// Trains the best candidate, or the simplest of those that do as well, on everything.
void WriteChosen(const Samples& samples, const Comparison& comparison, const Options& options,
                 Context& context, const Run& run) {
  const std::optional<Choice> choice = OneStandardErrorRule(comparison);
  if (!choice) throw Error("candidates", "none could be fitted (each one's line says why)");
  const ComparedModel& chosen =
      comparison.models[options.take == "simplest" ? choice->simplest : 0];
  const Estimate estimate = chosen.Of(comparison.select);
  TrainOptions train;
  train.fit = chosen.options;
  train.rule = RuleOf(options.decision).value_or(DecisionRule());
  train.notes.emplace_back(
      "compare", fmt::format("{}: {} of {} by {}, {} +- {} ({})", chosen.Name(), options.take,
                             comparison.models.size(), options.select, Shown(estimate.mean),
                             Shown(estimate.standard_error), DivisionOf(comparison)));
  const Model model = Train(samples, train, run);
  if (StopFlag()) return;
  WriteFile(options.output, ModelToJson(model), context.overwrite());
}

void CheckOptions(const Options& options, const Context& context) {
  CheckSource(options.samples, options.pairs, "--masks");
  CheckPairOptions(options.pairs);
  const bool trains = options.kinds != std::vector<std::string>{std::string(kNone)};
  if (!trains && options.models.empty())
    throw UsageError("--kinds none needs --models (or there is nothing to compare)");
  if (!trains && !options.output.empty())
    throw UsageError("--write trains a candidate (--kinds none has none)");
  if (options.output.empty() && RuleOf(options.decision))
    throw UsageError("a threshold or rule is for the model of --write");
  if (options.output.empty() && options.take != "best")
    throw UsageError("--take is for the model of --write");
  RequireApart(options.output, "--write", context.json, "--json");
  RequireApart(options.report, "--report", context.json, "--json");
  RequireApart(options.report, "--report", options.output, "--write");
  for (const std::string& file : options.samples)
    for (const auto& [output, flag] :
         {std::pair(options.output, "--write"), std::pair(options.report, "--report")})
      RequireApart(output, flag, file, "--samples");
  for (const std::string& file : options.models) {
    if (file == kDefault) continue;
    RequireApart(options.output, "--write", file, "--models");
    RequireApart(options.report, "--report", file, "--models");
    RequireApart(context.json, "--json", file, "--models");
  }
  for (const std::string& output : {options.output, options.report})
    if (!output.empty()) RequireWritable(output, context.overwrite());
}

Access AccessOf(const Options& options) {
  Access access{PathsOf(options.samples, options.pairs), {}, {options.output, options.report}};
  for (const std::string& file : options.models)
    if (file != kDefault) access.reads.emplace_back(file);
  return access;
}

void Show(const Comparison& comparison, const Options& options, Context& context) {
  if (!context.json_to_stdout()) PrintComparison(comparison);
  if (context.json.empty() && options.report.empty()) return;
  const std::string json = ComparisonToJson(comparison);
  context.WriteRecord(Json::parse(json));
  if (!options.report.empty())
    WriteFile(options.report, ComparisonToHtml(json), context.overwrite());
}

void RunCompare(const Options& options, Context& context) {
  CheckOptions(options, context);
  KeepFreedMemory();  // each fit takes tables of tens of megabytes: a tenth of the whole time
  const std::vector<FitOptions> candidates = CandidatesOf(options);
  context.Confine(AccessOf(options));
  const std::vector<GivenModel> models = ModelsOf(options);
  const Samples samples = ReadSource(options.samples, options.pairs, context.StartRun("images"));
  if (StopFlag()) return;
  Comparison comparison = [&] {  // a scope for the progress bar
    const Run run = context.StartRun("fits");
    return Compare(
        samples, candidates,
        {options.folds, options.seed, CriterionFromName(options.select), run.progress, run.stop},
        models);
  }();
  if (StopFlag()) return;  // scores of a part would pass for the whole
  for (ComparedModel& m : comparison.models) m.problem = WithFlags(m.problem);
  Show(comparison, options, context);
  if (!comparison.models.front().problem.empty())
    throw Error("candidates", "none could be fitted (each one's line says why)");
  if (!options.output.empty())
    WriteChosen(samples, CandidatesAlone(comparison), options, context, context.StartRun("images"));
}

void AddCandidateFlags(CLI::App& verb, Options& options) {
  const OptionGroup group(verb, "Candidates");
  group.AddDefault("--kinds", options.kinds, "A,B", "Kinds of model, or none")->delimiter(',');
  group.AddDefault("--spaces", options.spaces, "A,B", "Colour spaces, or all")->delimiter(',');
  group
      .AddDefault("--channels", options.channels, "all|subsets|A,B",
                  "all, subsets (every one of each space), or channels, for the spaces that have "
                  "them; repeatable")
      ->allow_extra_args(false);
  group.AddDefault("--shrinkage", options.shrinkages, "S,auto", "As for train, of qda and lda")
      ->delimiter(',');
  group.AddChoice("--covariance", options.covariance, {"mle", "unbiased"}, "As for train");
  group.AddDefault("--positive", options.positive, "CLASS", "The class to find");
  group.Add("--models", options.models, "MODEL",
            "Models to judge beside them as they are: files, or default (the built-in one)");
}

void AddChoiceFlags(CLI::App& verb, Options& options) {
  const OptionGroup group(verb, "Choice");
  group.AddDefault("--folds", options.folds, "N", "Parts to divide images (or colours) into")
      ->check(Within(2, 1 << 16));
  group.AddDefault("--seed", options.seed, "N", "Another number divides otherwise");
  group.AddChoice("--select", options.select, {"auc", "f1", "log-loss"},
                  "What the best is best by");
  group.AddChoice(
      "--take", options.take, {"best", "simplest"},
      "Which candidate to write: the best, or the simplest of those within one standard "
      "error of it");
  OptionGroup(verb, "Output")
      .Add("--write", options.output, "MODEL", "Train the best on everything and write it here");
}

}  // namespace

void AddCompare(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = AddVerb(app, "compare", "Choose between models by cross-validation",
                           "  skinmask compare --images samples/photos --masks samples/masks "
                           "--step 8 --folds 2\n"
                           "  skinmask compare --samples samples/labelled-pixels.csv --folds 2 "
                           "--write best.json",
                           context);
  const OptionGroup group(*verb, "Input");
  group.Add("--samples", options->samples, "FILE", "Tables of labelled pixels");
  group.Add("--images", options->pairs.images, "DIR", "Folder of images");
  group.Add("--masks", options->pairs.masks, "DIR", "Folder of their masks");
  group
      .AddDefault("--step", options->pairs.step, "N",
                  "Of images, every N-th pixel of every N-th row")
      ->check(Within(1, 1 << 20));
  OptionGroup(*verb, "Output")
      .Add("--report", options->report, "FILE.html",
           "One HTML page with the table and its plots, which opens without a network");
  AddCandidateFlags(*verb, *options);
  AddChoiceFlags(*verb, *options);
  AddDecisionFlags(*verb, options->decision, "0.5");
  AddPairOptions(*verb, options->pairs);
  AddForceOption(*verb, context);
  AddJsonOption(*verb, context);
  AddMaxFailuresOption(*verb, context);
  AddSandboxOption(*verb, context);
  verb->callback(
      [options, &context] { context.action = [options](Context& c) { RunCompare(*options, c); }; });
}

}  // namespace skinmask::cli
