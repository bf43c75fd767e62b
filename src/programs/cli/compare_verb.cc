#include "skinmask/learn/compare.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/folder.h"
#include "base/json.h"
#include "base/nearest.h"
#include "pipeline/bytes_as_text.h"
#include "pipeline/parts.h"
#include "programs/cli/context.h"
#include "programs/cli/print.h"
#include "programs/cli/sample_source.h"
#include "programs/cli/scores_output.h"
#include "programs/cli/verb.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/base/version.h"
#include "skinmask/media/inputs.h"
#include "skinmask/pipeline/collect_samples.h"
#include "skinmask/pipeline/train.h"
#include "skinmask/report/comparison.h"

namespace skinmask::cli {
namespace {

struct CompareFlags {
  std::vector<std::string> samples;
  PairOptions pairs;
  std::vector<std::string> kinds{"qda",      "lda",          "gaussian-nb", "mixture",
                                 "logistic", "histogram-nb", "histogram"};
  std::vector<std::string> spaces{"BGR", "YCrCb", "rg", "HSV", "Lab", "Luv"};
  std::vector<std::string> channels{"all"}, shrinkages{"0"};
  std::vector<std::string> models;  // files, or kBuiltInModel
  std::string covariance = "mle", positive = "skin", select = "auc", take = "best", output, report;
  std::size_t folds = 5;
  std::uint64_t seed = 0;
  DecisionFlags decision;
  Shard shard;                        // the shard of the models to judge
  std::string partial;                // the file of the part to write
  std::vector<std::string> partials;  // the files to merge
};

constexpr std::string_view kNoKind = "none";           // as the only kind: nothing is trained
constexpr std::string_view kBuiltInModel = "default";  // as a model: the built-in model

void AddCandidateFlags(CLI::App& verb, CompareFlags& flags) {
  const OptionGroup group(verb, "Candidates");
  group.AddDefault("--kinds", flags.kinds, "none|KIND,KIND", "Kinds of model, or none")
      ->delimiter(',');
  group.AddDefault("--spaces", flags.spaces, "all|SPACE,SPACE", "Colour spaces, or all")
      ->delimiter(',');
  group
      .AddDefault("--channels", flags.channels, "all|subsets|CHANNEL,CHANNEL",
                  "all, subsets (every one of each space), or channels, for the spaces that have "
                  "them; repeatable")
      ->allow_extra_args(false);
  group.AddDefault("--shrinkage", flags.shrinkages, "auto|S,S", "As for train, of qda and lda")
      ->delimiter(',');
  const std::vector<std::string_view> estimators = NamesIn(kEstimatorNames);
  group.AddChoice("--covariance", flags.covariance, {estimators.begin(), estimators.end()},
                  "As for train");
  group.AddDefault("--positive", flags.positive, "CLASS", "The class to find");
  group.Add("--models", flags.models, "default|MODEL",
            "Models to judge beside them as they are: files, or default (the built-in one)");
}

void AddChoiceFlags(CLI::App& verb, CompareFlags& flags) {
  const OptionGroup group(verb, "Choice");
  group.AddDefault("--folds", flags.folds, "N", "Parts to divide images (or colours) into")
      ->check(Within(2, 1 << 16));
  group.AddDefault("--seed", flags.seed, "N", "Seed of the division into folds")->check(Whole());
  group.AddChoice("--select", flags.select, {"auc", "f1", "log-loss", "accuracy", "class-log-loss"},
                  "The score that the models are compared by");
  group.AddChoice("--take", flags.take, {"best", "simplest"},
                  "Which candidate to write: the best, or the simplest of those within one "
                  "standard error of it");
  OptionGroup(verb, "Output", kChangesNoResult)
      .Add("--write", flags.output, "MODEL", "Train the best on everything and write it here")
      ->check(NamedLike({}, "a model"));
}

std::vector<std::string> ModelFilesOf(const CompareFlags& flags) {
  std::vector<std::string> files = flags.models;
  std::erase(files, kBuiltInModel);
  return files;
}

void CheckCompareFlags(const CompareFlags& flags, const Context& context) {
  CheckSource(flags.samples, flags.pairs, "--masks");
  const bool trains = flags.kinds != std::vector<std::string>{std::string(kNoKind)};
  if (!trains && flags.models.empty())
    throw UsageError("--kinds none needs --models (or there is nothing to compare)");
  if (!trains && !flags.output.empty())
    throw UsageError("--write trains a candidate (--kinds none has none)");
  if (flags.output.empty() && RuleOf(flags.decision))
    throw UsageError("a threshold or rule is for the model of --write");
  const NamedOutput write{flags.output, "--write"}, report{flags.report, "--report"},
      partial{flags.partial, "--partial"}, json{context.json, "--json"};
  RequireApart({write, report, partial, json});
  RequireApart({write, report, partial}, flags.samples, "--samples");
  RequireApart({write, report, json}, flags.partials, "--partials");
}

std::vector<FitOptions> CandidatesOf(const CompareFlags& options) {
  if (options.kinds == std::vector<std::string>{std::string(kNoKind)}) return {};
  CandidateNames names{options.kinds, options.spaces, options.channels, {}, {}};
  if (names.spaces == std::vector<std::string>{"all"}) {
    names.spaces.clear();
    for (const ColorSpace& space : ColorSpaces()) names.spaces.emplace_back(space.name);
  }
  for (const std::string& s : options.shrinkages) {
    FitOptions fit;
    AsUsage([&] { FitTable().Set(fit, "shrinkage", s); });
    names.shrinkages.push_back(fit.shrinkage);
  }
  names.base.positive = options.positive;
  names.base.estimator = EstimatorFromName(options.covariance);
  return AsUsage([&] { return Candidates(names); });
}

// The given models. A model that finds another class is refused, because its scores would not be
// comparable.
std::vector<GivenModel> ModelsOf(const CompareFlags& options) {
  std::vector<GivenModel> models;
  for (const std::string& name : options.models) {
    if (std::ranges::find(models, name, &GivenModel::name) != models.end()) continue;
    if (name != kBuiltInModel && !Exists(name) &&
        !Nearest(name, {std::string(kBuiltInModel)}).empty())
      throw UsageError("--models {}: is no file (did you mean {}?)", name, kBuiltInModel);
    models.push_back({name, LoadModel(name == kBuiltInModel ? "" : name)});
    if (const std::string& finds = models.back().model.positive().name; finds != options.positive)
      throw Error(name, fmt::format("finds '{}', not '{}' (--positive names the class to find)",
                                    finds, options.positive));
  }
  return models;
}

// Trains the chosen candidate (the best one, or the simplest one within one standard error) on all
// samples. Returns false if no candidate could be fitted.
bool WriteChosen(const Samples& samples, Comparison comparison, const CompareFlags& options,
                 Context& context, const Run& run) {
  // Given models need no training.
  std::erase_if(comparison.models, [](const ComparedModel& m) { return m.given.has_value(); });
  const std::optional<Choice> choice = OneStandardErrorRule(comparison);
  if (!choice) return false;
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
  if (!StopFlag()) WriteFile(options.output, ModelToJson(model), context.if_exists());
  return true;
}

// The files for the sandbox: tables, images, models and parts.
Access AccessOf(const CompareFlags& options) {
  Access access{PathsOf(options.samples, options.pairs),
                {},
                {options.output, options.report, options.partial}};
  for (const std::vector<std::string>& files : {ModelFilesOf(options), options.partials})
    access.reads.insert(access.reads.end(), files.begin(), files.end());
  return access;
}

void WriteResults(const Comparison& comparison, const CompareFlags& options, Context& context) {
  if (context.json.empty() && options.report.empty()) return;
  const std::string json = ComparisonToJson(comparison);
  context.WriteRecord(Json::parse(json));
  // An earlier page stays if there is nothing to show.
  if (!options.report.empty() && comparison.models.front().problem.empty())
    WriteFile(options.report, ComparisonToHtml(json), context.if_exists());
}

CompareOptions CompareOptionsOf(const CompareFlags& options, const Run& run) {
  return {options.folds, options.seed, CriterionFromName(options.select), run.progress, run.stop};
}

// The header of parts of this run. It differs for other data and other given models.
PartHeader HeaderOf(const CompareFlags& options, const Samples& samples,
                    const std::vector<GivenModel>& models, const Context& context) {
  std::string given;
  for (const GivenModel& model : models) given += ModelToJson(model.model);
  PartHeader header;
  header.version = kVersion;
  header.options = context.options;
  // Data are identified by their digest, not by their place; and ".5" equals 0.5.
  for (const char* const place : {"samples", "images", "masks"}) header.options.erase(place);
  Json shrinkages = Json::array();
  for (const std::string& text : options.shrinkages) {
    FitOptions fit;
    FitTable().Set(fit, "shrinkage", text);
    shrinkages.push_back(FitTable().Get(fit, "shrinkage"));
  }
  header.options.erase("shrinkage");  // options are compared in order
  header.options["shrinkage"] = shrinkages;
  header.data = Sha256(FormatSamples(samples));
  header.model = Sha256(given);
  return header;
}

// Fits and scores the models of a shard, for a merge.
void WritePart(const CompareFlags& options, const Samples& samples, PartHeader header,
               Comparison comparison, Context& context) {
  header.shard = options.shard;
  header.size = comparison.models.size();
  std::vector<ComparedModel> own;
  for (std::size_t i = 0; i < SizeOf(header.shard, header.size); ++i)
    own.push_back(comparison.models[PlaceOf(header.shard, i)]);
  comparison.models = std::move(own);
  const Run run = context.StartRun("fits");
  if (!ScoreModels(samples, CompareOptionsOf(options, run), comparison)) return;
  WriteFile(options.partial, FormatComparisonPart(header, comparison.models), context.if_exists());
}

// Copies the scores of the parts into `whole`; the parts must have the scores of all its models.
void AddParts(const CompareFlags& merge, const PartHeader& here, Comparison& whole) {
  PartSet set;
  for (const std::string& file : merge.partials) {
    const ComparisonPart part = ReadComparisonPart(file);
    // These options choose the model of --write, which only the merge writes.
    RequireMadeWith(file, part.header.options, here.options,
                    {"take", "threshold", "max-f1", "max-fpr", "min-recall", "cost"});
    set.Add(file, part.header);
    if (part.header.data != here.data) throw Error(file, "was made of other data than these");
    if (part.header.model != here.model)
      throw Error(file, "was made beside other given models than these");
    AddScores(part, file, whole);
  }
  set.RequireWhole();
  SortModels(whole);
}

void RunCompare(const CompareFlags& options, Context& context) {
  CheckCompareFlags(options, context);
  context.options = context.deciding;
  KeepFreedMemory();  // each fit allocates tens of megabytes
  const std::vector<FitOptions> candidates = CandidatesOf(options);
  context.Confine(AccessOf(options));
  for (const std::string& output : {options.output, options.report, options.partial})
    RequireNoMedia(output);
  const std::vector<GivenModel> models = ModelsOf(options);
  const Samples samples = ReadSource(options.samples, options.pairs, context.StartRun("images"));
  if (StopFlag()) return;
  Comparison comparison = Unscored(samples, candidates, CompareOptionsOf(options, {}), models);
  if (!options.partial.empty())
    return WritePart(options, samples, HeaderOf(options, samples, models, context),
                     std::move(comparison), context);
  if (!options.partials.empty()) {
    AddParts(options, HeaderOf(options, samples, models, context), comparison);
  } else {  // a scope for the progress bar
    const Run run = context.StartRun("fits");
    if (ScoreModels(samples, CompareOptionsOf(options, run), comparison)) SortModels(comparison);
  }
  if (StopFlag()) return;  // incomplete scores would look like complete ones
  for (ComparedModel& m : comparison.models) {
    const std::string problem = std::exchange(m.problem, WithFlags(m.problem));
    if (m.problem != problem) m.problem += "; train has these options";
  }
  if (!context.json_to_stdout()) PrintComparison(comparison);
  bool any = comparison.models.front().problem.empty();
  // The model first: a page that cannot be written must not cost it.
  if (any && !options.output.empty())
    any = WriteChosen(samples, comparison, options, context, context.StartRun("images"));
  WriteResults(comparison, options, context);
  if (!any) throw Error("candidates", "none could be fitted and scored (each one's line says why)");
}

}  // namespace

void AddCompare(CLI::App& app, Context& context) {
  const auto [verb, flags] = AddVerb(
      app, "compare", "Choose between models by cross-validation",
      "  skinmask compare --images samples/photos --masks samples/masks --step 8 --folds 2\n"
      "  skinmask compare --samples samples/labelled-pixels.csv --folds 2 --write best.json\n"
      "  skinmask sample --samples samples/labelled-pixels.csv -o s.csv\n"
      "  skinmask compare --samples s.csv --folds 2 --shard 3/20 --partial part-3.json",
      context, RunCompare);
  const OptionGroup group(verb, "Input");
  AddSamplesOption(group, flags.samples, "Tables of labelled pixels");
  AddImageOptions(group, flags.pairs);
  group
      .AddDefault("--step", flags.pairs.step, "N", "Of images, every N-th pixel of every N-th row")
      ->check(Within(1, 1 << 20));
  AddShardOption(verb, flags.shard,
                 "Fit only every N-th model of the list, beginning with the I-th");
  OptionGroup(verb, "Input", kChangesNoResult)
      .Add("--partials", flags.partials, "FILE",
           "Files of all parts of a comparison, to make the whole of, with the options that "
           "they were made with");
  const OptionGroup output(verb, "Output", kChangesNoResult);
  output
      .Add("--partial", flags.partial, "FILE",
           "Write what the shard of the models gives, for --partials, and no result")
      ->check(NamedLike({}, "a part"));
  output
      .Add("--report", flags.report, "FILE.html",
           "One HTML page with the table and its plots, which opens without a network")
      ->check(NamedLike({".html"}, "a page"));
  AddCandidateFlags(verb, flags);
  AddChoiceFlags(verb, flags);
  AddDecisionFlags(verb, flags.decision, "0.5");
  AddPairOptions(verb, flags.pairs);
  AddRunOptions(verb, context);
}

}  // namespace skinmask::cli
