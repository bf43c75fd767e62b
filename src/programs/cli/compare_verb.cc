#include "skinmask/learn/compare.h"

#include <fmt/format.h>

#include <memory>

#include "base/json.h"
#include "base/parse.h"
#include "programs/cli/comparison_output.h"
#include "programs/cli/decision_flags.h"
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
  std::string covariance = "mle", positive = "skin", output;
  std::size_t folds = 5;
  ComparisonSettings settings{0, "auc"};
  DecisionFlags decision;
};

Shrinkage ShrinkageOf(const std::string& text) {
  if (text == "auto") return {std::nullopt};
  const auto s = ParseNumber<double>(text);
  if (!s || !(*s >= 0 && *s <= 1))
    throw UsageError(fmt::format("--shrinkage '{}' is out of range (0 to 1, or auto)", text));
  return {*s};
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

// Trains the best model on everything.
void WriteBest(const Samples& samples, const Comparison& comparison, const Options& options,
               Context& context, const Run& run) {
  const ComparedModel& best = comparison.models.front();
  const Criterion criterion = CriterionFromName(options.settings.select);
  const Estimate estimate = criterion == Criterion::kAuc      ? best.Auc()
                            : criterion == Criterion::kBestF1 ? best.BestF1()
                                                              : best.LogLoss();
  TrainOptions train;
  train.fit = best.options;
  train.rule = RuleOf(options.decision).value_or(DecisionRule());
  train.notes.emplace_back(
      "compare",
      fmt::format("{}: best of {} by {}, {} +- {} ({})", CandidateName(best.options),
                  comparison.models.size(), options.settings.select, Shown(estimate.mean),
                  Shown(estimate.standard_error), Division(comparison.folds, options.settings)));
  const Model model = Train(samples, train, run);
  if (StopFlag()) return;
  WriteFile(options.output, ModelToJson(model), context.overwrite());
}

void CheckOptions(const Options& options, const Context& context) {
  CheckSource(options.samples, options.pairs, "--masks");
  CheckPairOptions(options.pairs);
  if (options.output.empty() && RuleOf(options.decision))
    throw UsageError("a threshold or rule is for the model of --write");
  RequireApart(options.output, "--write", context.json, "--json");
  for (const std::string& file : options.samples)
    RequireApart(options.output, "--write", file, "--samples");
}

void RunCompare(const Options& options, Context& context) {
  CheckOptions(options, context);
  const std::vector<FitOptions> candidates = CandidatesOf(options);
  if (!options.output.empty()) RequireWritable(options.output, context.overwrite());
  context.Confine({PathsOf(options.samples, options.pairs), {}, {options.output}});
  const Samples samples = ReadSource(options.samples, options.pairs, context.StartRun("images"));
  if (StopFlag()) return;
  Comparison comparison = [&] {  // a scope for the progress bar
    const Run run = context.StartRun("fits");
    return Compare(samples, candidates,
                   {options.folds, options.settings.seed,
                    CriterionFromName(options.settings.select), run.progress, run.stop});
  }();
  if (StopFlag()) return;  // scores of a part would pass for the whole
  if (!context.json_to_stdout()) PrintComparison(comparison, options.settings);
  context.WriteRecord(Json::parse(ComparisonToJson(comparison, options.settings)));
  if (!comparison.models.front().problem.empty())
    throw Error("candidates", "none could be fitted (each one's line says why)");
  if (!options.output.empty())
    WriteBest(samples, comparison, options, context, context.StartRun("images"));
}

void AddCandidateFlags(CLI::App& verb, Options& options) {
  const OptionGroup group(verb, "Candidates");
  group.AddDefault("--kinds", options.kinds, "A,B", "Kinds of model")->delimiter(',');
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
}

void AddChoiceFlags(CLI::App& verb, Options& options) {
  const OptionGroup group(verb, "Choice");
  group.AddDefault("--folds", options.folds, "N", "Parts to divide images (or colours) into")
      ->check(Within(2, 1 << 16));
  group.AddDefault("--seed", options.settings.seed, "N", "Another number divides otherwise");
  group.AddChoice("--select", options.settings.select, {"auc", "f1", "log-loss"},
                  "What the best is best by");
  group.Add("--write", options.output, "MODEL", "Train the best on everything and write it here");
}

}  // namespace

void AddCompare(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = AddVerb(app, "compare", "Choose between models by cross-validation",
                           "  skinmask compare --images photos --masks masks --step 4\n"
                           "  skinmask compare --samples s.csv --kinds qda,lda --spaces all "
                           "--select f1 --write best.json",
                           context);
  const OptionGroup group(*verb);
  group.Add("--samples", options->samples, "FILE", "Tables of labelled pixels");
  group.Add("--images", options->pairs.images, "DIR", "Folder of images");
  group.Add("--masks", options->pairs.masks, "DIR", "Folder of their masks");
  group
      .AddDefault("--step", options->pairs.step, "N",
                  "Of images, every N-th pixel of every N-th row")
      ->check(Within(1, 1 << 20));
  AddCandidateFlags(*verb, *options);
  AddChoiceFlags(*verb, *options);
  AddDecisionFlags(*verb, options->decision, "0.5");
  AddPairOptions(*verb, options->pairs);
  AddForceOption(*verb, context);
  AddJsonOption(*verb, context);
  AddSandboxOption(*verb, context);
  verb->callback(
      [options, &context] { context.action = [options](Context& c) { RunCompare(*options, c); }; });
}

}  // namespace skinmask::cli
