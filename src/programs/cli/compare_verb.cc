#include "skinmask/learn/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/json.h"
#include "base/nearest.h"
#include "base/parse.h"
#include "pipeline/bytes_as_text.h"
#include "pipeline/comparison_part.h"
#include "programs/cli/compare_flags.h"
#include "programs/cli/comparison_output.h"
#include "programs/cli/flag_hints.h"
#include "programs/cli/part_options.h"
#include "programs/cli/print.h"
#include "programs/cli/sample_source.h"
#include "programs/cli/shard_flag.h"
#include "programs/cli/signals.h"
#include "programs/cli/usage_error.h"
#include "programs/cli/verb.h"
#include "programs/cli/verbs.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/base/version.h"
#include "skinmask/pipeline/train.h"
#include "skinmask/report/comparison.h"

namespace skinmask::cli {
namespace {

Shrinkage ShrinkageOf(const std::string& text) {
  if (text == "auto") return {std::nullopt};
  const auto s = ParseNumber<double>(text);
  if (!s || !(*s >= 0 && *s <= 1))
    throw UsageError(fmt::format("--shrinkage '{}' is out of range (0 to 1, or auto)", text));
  return {*s};
}

std::vector<FitOptions> CandidatesOf(const CompareFlags& options) {
  if (options.kinds == std::vector<std::string>{std::string(kNoKind)}) return {};
  CandidateNames names{options.kinds, options.spaces, options.channels, {}, {}};
  if (names.spaces == std::vector<std::string>{"all"}) {
    names.spaces.clear();
    for (const ColorSpace& space : ColorSpaces()) names.spaces.emplace_back(space.name);
  }
  for (const std::string& s : options.shrinkages) names.shrinkages.push_back(ShrinkageOf(s));
  names.base.positive = options.positive;
  names.base.estimator = EstimatorFromName(options.covariance);
  return AsUsage([&] { return Candidates(names); });
}

// What stands beside the candidates. A model of another class would be asked another question.
std::vector<GivenModel> ModelsOf(const CompareFlags& options) {
  std::vector<GivenModel> models;
  for (const std::string& name : options.models) {
    if (std::ranges::find(models, name, &GivenModel::name) != models.end()) continue;
    std::error_code ignored;
    if (name != kBuiltInModel && !std::filesystem::exists(name, ignored) &&
        !Nearest(name, {std::string(kBuiltInModel)}).empty())
      throw UsageError(
          fmt::format("--models {}: is no file (did you mean {}?)", name, kBuiltInModel));
    models.push_back({name, name == kBuiltInModel ? DefaultModel() : ReadModel(name)});
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
void WriteChosen(const Samples& samples, const Comparison& comparison, const CompareFlags& options,
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

// Tables, pictures and models.
std::vector<std::filesystem::path> ReadsOf(const CompareFlags& options) {
  std::vector<std::filesystem::path> paths = PathsOf(options.samples, options.pairs);
  for (const std::string& file : options.models)
    if (file != kBuiltInModel) paths.emplace_back(file);
  return paths;
}

Access AccessOf(const CompareFlags& options) {
  Access access{ReadsOf(options), {}, {options.output, options.report, options.partial}};
  access.reads.insert(access.reads.end(), options.partials.begin(), options.partials.end());
  return access;
}

void Show(const Comparison& comparison, const CompareFlags& options, Context& context) {
  if (!context.json_to_stdout()) PrintComparison(comparison);
  if (context.json.empty() && options.report.empty()) return;
  const std::string json = ComparisonToJson(comparison);
  context.WriteRecord(Json::parse(json));
  if (!options.report.empty())
    WriteFile(options.report, ComparisonToHtml(json), context.overwrite());
}

CompareOptions CompareOptionsOf(const CompareFlags& options, const Run& run) {
  return {options.folds, options.seed, CriterionFromName(options.select), run.progress, run.stop};
}

// What tells parts of other data, or beside other given models, from those of this run.
PartHeader HeaderOf(const Samples& samples, const std::vector<GivenModel>& models) {
  std::string given;
  for (const GivenModel& model : models) given += ModelToJson(model.model);
  PartHeader header;
  header.version = kVersion;
  header.data = Sha256(FormatSamples(samples));
  header.model = Sha256(given);
  return header;
}

// Fits and judges the models of a shard, for a merge.
void WritePart(const CompareFlags& options, const Samples& samples, PartHeader header,
               Comparison comparison, Context& context) {
  header.options = context.options;
  header.shard = ShardOf(options.shard);
  header.size = comparison.models.size();
  comparison.models = ModelsOfShard(header.shard, comparison.models);
  const Run run = context.StartRun("fits");
  if (!ScoreModels(samples, CompareOptionsOf(options, run), comparison)) return;
  WriteFile(options.partial, FormatComparisonPart(header, comparison.models), context.overwrite());
}

// Puts into `whole` what the parts found; the scores of all its models, that is.
void AddParts(const CompareFlags& merge, const PartHeader& here, Comparison& whole) {
  PartSet set;
  for (const std::string& file : merge.partials) {
    const ComparisonPart part = ReadComparisonPart(file);
    set.Add(file, part.header);
    if (part.header.data != here.data) throw Error(file, "was made of other data than these");
    if (part.header.model != here.model)
      throw Error(file, "was made beside other given models than these");
    AddScores(part, file, whole);
  }
  set.RequireWhole();
  SortModels(whole);
}

// The options of the parts, as their command lines had them, with what this one says of the result.
CompareFlags FlagsOfParts(const CompareFlags& merge, Context& context) {
  const std::vector<std::string> own{"write",   "take",       "threshold", "max-f1",
                                     "max-fpr", "min-recall", "cost"};
  RequirePartsAlone(context.options, own);
  RequireFiles(merge.partials, "--partials");
  const std::string& file = merge.partials.front();
  Json options = ReadComparisonPart(file).header.options;
  RequireDeciding(options, file);
  for (const std::string& name : own) options.erase(name);
  for (const std::string& name : own)
    if (context.options.contains(name)) options[name] = context.options[name];
  CompareFlags flags;
  Context parsed;
  context.options = ParseOptions([&](CLI::App& app) { return AddCompareVerb(app, flags, parsed); },
                                 options, file);
  const std::vector<std::filesystem::path> reads = ReadsOf(flags);
  RequirePlainPaths(reads, file);
  if (context.verbose) PrintLine("the parts name what is read: " + NamesOf(reads));
  flags.report = merge.report;
  flags.partials = merge.partials;
  return flags;
}

void RunChecked(const CompareFlags& options, Context& context) {
  CheckCompareFlags(options, context);
  KeepFreedMemory();  // each fit takes tables of tens of megabytes: a tenth of the whole time
  const std::vector<FitOptions> candidates = CandidatesOf(options);
  context.Confine(AccessOf(options));
  const std::vector<GivenModel> models = ModelsOf(options);
  const Samples samples = ReadSource(options.samples, options.pairs, context.StartRun("images"));
  if (StopFlag()) return;
  Comparison comparison = Unscored(samples, candidates, CompareOptionsOf(options, {}), models);
  if (!options.partial.empty())
    return WritePart(options, samples, HeaderOf(samples, models), std::move(comparison), context);
  if (!options.partials.empty()) {
    AddParts(options, HeaderOf(samples, models), comparison);
  } else {  // a scope for the progress bar
    const Run run = context.StartRun("fits");
    if (ScoreModels(samples, CompareOptionsOf(options, run), comparison)) SortModels(comparison);
  }
  if (StopFlag()) return;  // scores of a part would pass for the whole
  for (ComparedModel& m : comparison.models) m.problem = WithFlags(m.problem);
  Show(comparison, options, context);
  if (!comparison.models.front().problem.empty())
    throw Error("candidates", "none could be fitted (each one's line says why)");
  if (!options.output.empty())
    WriteChosen(samples, CandidatesAlone(comparison), options, context, context.StartRun("images"));
}

void RunCompare(const CompareFlags& options, Context& context) {
  if (!options.partials.empty()) return RunChecked(FlagsOfParts(options, context), context);
  context.options = DecidingOptions(context.options);
  RunChecked(options, context);
}

}  // namespace

void AddCompare(CLI::App& app, Context& context) {
  auto flags = std::make_shared<CompareFlags>();
  AddCompareVerb(app, *flags, context)->callback([flags, &context] {
    context.action = [flags](Context& c) { RunCompare(*flags, c); };
  });
}

}  // namespace skinmask::cli
