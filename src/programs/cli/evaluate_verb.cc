#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/folder.h"
#include "base/json.h"
#include "pipeline/bytes_as_text.h"
#include "pipeline/evaluation_part.h"
#include "programs/cli/evaluate_flags.h"
#include "programs/cli/print.h"
#include "programs/cli/sample_source.h"
#include "programs/cli/scores_output.h"
#include "programs/cli/verb.h"
#include "skinmask/base/version.h"
#include "skinmask/detect/adapt.h"
#include "skinmask/learn/decision.h"
#include "skinmask/pipeline/evaluate.h"
#include "skinmask/report/gallery.h"
#include "skinmask/report/report.h"

namespace skinmask::cli {
namespace {

using AdapterPtr = std::shared_ptr<const Adapter>;

// The functions that use the detector set `expected` themselves.
const DetectorOptions kExpectingLittle{.expected = {.expected_pixels = 0}};

// Whether the rule chooses the threshold on the judged data.
bool ChoosesThreshold(const std::optional<DecisionRule>& rule) {
  return rule && rule->kind != DecisionRule::Kind::kFixed;
}

// The model of the file, with the class costs of the flags; absent for existing masks.
std::optional<Model> LoadForEvaluation(const std::string& file, const EvaluateFlags& flags) {
  if (!flags.predicted.empty()) return std::nullopt;
  Model model = LoadModel(file);
  const ClassCosts& costs = flags.detector.class_costs;
  return costs.empty() ? model : AsUsage([&] { return WithClassCosts(std::move(model), costs); });
}

// Judges the model at the threshold of the rule and stores that threshold in the model. A rule that
// chooses the threshold on the same data needs two passes. `evaluate` judges all data by the model
// as it is then; for its second argument see `above` of EvaluateImages.
template <class EvaluateAll>
EvaluationReport EvaluateByRule(Model& model, const EvaluateFlags& flags, const Run& run,
                                const EvaluateAll& evaluate) {
  const std::optional<DecisionRule> rule = RuleOf(flags.decision);
  if (rule && !ChoosesThreshold(rule)) model.decision = {rule->value, "fixed", ""};
  EvaluationReport report = evaluate(run, std::nullopt);
  if (ChoosesThreshold(rule) && report.pooled.counts.Total() > 0 && !StopFlag()) {
    const std::optional<OperatingPoint> point = Choose(*report.scores, *rule);
    model.decision = Decide(*report.scores, *rule, "the evaluated data");
    // The rule fits the threshold to the masks even if they are inverted, so the result at the
    // model's own threshold is kept.
    EvaluationReport second = evaluate(run.Again(), point->log_odds);
    run.RequireAsBefore(report.images.size(), second.images.size());
    second.masks_look_inverted = report.masks_look_inverted;
    report = std::move(second);
  }
  report.decision = model.decision;
  report.abstain = flags.detector.abstain;
  return report;
}

// Makes the report that the flags request. `adapter` is null without adaptation.
EvaluationReport Evaluate(const EvaluateFlags& flags, std::optional<Model>& model,
                          const AdapterPtr& adapter, const Run& run) {
  if (!model) return EvaluatePredicted(PairsOf(flags), run);
  if (!flags.pairs.images.empty())
    return EvaluateByRule(*model, flags, run, [&](const Run& pass, std::optional<double> above) {
      return EvaluateImages(flags.pairs, Detector(*model, adapter, kExpectingLittle), pass, above,
                            ByTone(flags.by));
    });
  const Samples samples = ReadTables(flags.samples);
  return EvaluateByRule(*model, flags, run, [&](const Run&, std::optional<double>) {
    return EvaluateTable(samples, *model);
  });
}

// Writes the page: the JSON, and pictures of the images in its gallery.
void WritePage(const std::string& json, const EvaluationReport& report, const EvaluateFlags& flags,
               const Model* model, const AdapterPtr& adapter, Context& context) {
  std::optional<Detector> detector;
  if (model) detector.emplace(*model, adapter, kExpectingLittle);
  const std::vector<GalleryPictures> pictures = DrawGallery(
      PairsOf(flags), detector ? &*detector : nullptr, report, context.StartRun("images"));
  if (StopFlag()) return;
  WriteFile(flags.report, ReportToHtml(json, pictures), context.if_exists());
}

void PrintResult(const EvaluationReport& report, const EvaluateFlags& flags,
                 const Context& context) {
  if (!context.quiet) WarnOfMasks(report, flags);
  if (report.pooled.counts.Total() == 0 || context.json_to_stdout()) return;
  PrintEvaluation(report, flags.detector.by_faces());
  if (report.images_without_mask > 0)
    Print("{} of {} images have no mask and are left out\n", report.images_without_mask,
          report.images_without_mask + report.images.size());
}

// Prints the results and writes the files that the flags request.
void WriteEvaluation(const EvaluationReport& report, const EvaluateFlags& flags, const Model* model,
                     const AdapterPtr& adapter, Context& context, const Rival* rival = nullptr) {
  if (report.pooled.counts.Total() == 0 && !report.images.empty())
    throw Error("the ground truth", "marks no pixel that counts: all of them are ignored");
  PrintResult(report, flags, context);
  if (rival && !context.json_to_stdout()) {
    Print("\n{}:\n", flags.models.back());
    PrintEvaluation(rival->report, flags.detector.by_faces());
  }
  if (!flags.picture.empty())
    WriteFile(flags.picture, CurvesOf(report, flags, *model, rival), context.if_exists());
  if (context.json.empty() && flags.report.empty()) return;
  Json root = Json::parse(FullReportToJson(report, model, rival));
  if (!flags.title.empty()) root["title"] = flags.title;
  if (const auto date = SourceDate()) root["date"] = *date;
  context.WriteRecord(root);
  root["version"] = kVersion;
  root["options"] = context.options;
  if (!flags.report.empty() && report.pooled.counts.Total() > 0)  // an earlier page stays
    WritePage(JsonText(root, 1) + "\n", report, flags, model, adapter, context);
}

std::string DigestOf(const std::optional<Model>& model) {
  return model ? Sha256(ModelToJson(*model)) : "";
}

// The options that a part records and a merge compares. Detector options have normalised values.
Json OptionsOfPart(const Json& given, const std::optional<Model>& model) {
  if (!model) return given;  // masks need no detector
  Json options = given;
  for (const auto& [name, text] : given.items())
    if (DetectorRowOf(name)) options.erase(name);
  for (const auto& [name, value] : DetectorOptionsIn(given, *model))
    options[FlagOf(name).substr(2)] = value;
  return options;
}

// Judges a shard and writes its part. Rules that need all data are applied by the merge.
void WritePart(const EvaluateFlags& flags, std::optional<Model>& model, const AdapterPtr& adapter,
               Context& context) {
  const std::string digest = DigestOf(model);
  const Json options = OptionsOfPart(context.options, model);
  const std::optional<DecisionRule> rule = RuleOf(flags.decision);
  if (rule && !ChoosesThreshold(rule)) model->decision = {rule->value, "fixed", ""};
  std::optional<Detector> detector;
  if (model) detector.emplace(*model, adapter, kExpectingLittle);
  EvaluationPart part = EvaluateShard(PairsOf(flags), detector ? &*detector : nullptr,
                                      {ChoosesThreshold(rule), std::nullopt, ByTone(flags.by)},
                                      context.StartRun("images"));
  if (StopFlag()) return;  // an incomplete part would look complete
  part.header.version = kVersion;
  part.header.model = digest;
  part.header.options = options;
  WriteFile(flags.partial, FormatEvaluationPart(part), context.if_exists());
}

Access AccessOf(const EvaluateFlags& flags) {
  Access access{
      PathsOf(flags.samples, flags.pairs), {}, {flags.report, flags.picture, flags.partial}};
  access.reads.emplace_back(flags.predicted);
  if (!flags.picture.empty())  // fontconfig finds fonts by these
    access.reads.insert(access.reads.end(), {"/etc/fonts", "/var/cache/fontconfig"});
  if (!flags.models.empty()) access.reads.emplace_back(flags.models.back());
  access.reads.insert(access.reads.end(), flags.partials.begin(), flags.partials.end());
  for (const std::string& table : TablesOf(flags.by)) access.reads.emplace_back(table);
  for (const std::string& file : FilesOf(WithFacesOfEnvironment(flags.detector)))
    access.reads.emplace_back(file);
  return access;
}

AdapterPtr AdapterOf(const EvaluateFlags& flags, const std::optional<Model>& model,
                     const Context& context) {
  DetectorOptions options = flags.detector;
  if (flags.pairs.images.empty()) {
    if ((options.insist && options.adapt != DetectorOptions::Adapt::kOff) || options.has_seeds() ||
        !options.faces.empty())
      throw UsageError("--adapt, --faces and seeds need --images");
    return nullptr;
  }
  options = WithFacesOfEnvironment(options);
  options.abstain.reset();
  options.expected = kExpectingLittle.expected;
  const Detector detector(*model, options);
  RequireAdapted(detector, context.options);
  return detector.adapter();
}

// The whole of all parts. Throws Error if they were made with options other than `here`, except:
// the model is compared by its digest, groups are made at the merge, and rules may differ if the
// parts keep scores.
EvaluationPart ReadWhole(const EvaluateFlags& flags, const Json& here, const std::string& digest) {
  // Whatever the rule, the parts have the counts at the model's own threshold.
  const std::vector<std::string> free{"model", "by", "max-f1", "max-fpr", "min-recall", "cost"};
  EvaluationMerge merge;
  for (const std::string& file : flags.partials) {
    if (StopFlag()) throw Error("parts", "were not all read");
    EvaluationPart part = ReadEvaluationPart(file);
    if (ChoosesThreshold(RuleOf(flags.decision)) && !part.keeps_scores)
      throw Error(file,
                  "was made without a rule, and keeps no scores of each image (a rule, as "
                  "--max-f1, with --shard)");
    if (ByTone(flags.by) && !part.keeps_tones)
      throw Error(file, "was made without tones (--by tone with --shard)");
    const Json made = part.header.options;
    const std::string model = part.header.model;
    merge.Add(file, std::move(part));  // parts of different runs are refused first
    RequireMadeWith(file, made, here, free);
    if (model != digest)  // last, because options change the threshold and so the digest
      throw Error(file, "was made with another model than this (--model names the one)");
  }
  return std::move(merge).Whole();
}

// Throws Error if the contents of the parts contradict their recorded options.
void RequireResultsOfModel(const EvaluationPart& whole, const std::optional<Model>& model) {
  const bool of_classes = model && CountsClasses(*model);
  if (whole.has_scores != model.has_value() ||
      (model && whole.positive != model->positive().name) ||
      whole.classes.classes.empty() == of_classes)
    throw Error("parts", "hold other results than their options ask for (they were changed)");
}

void MergeParts(const EvaluateFlags& flags, Context& context) {
  for (const std::string& file : flags.partials)
    if (ChoosesThreshold(RuleOf(flags.decision)) && Exists(file) && !IsRegularFile(file))
      throw UsageError("--partials {}: is no file (for a rule each part is read twice)", file);
  context.Confine(AccessOf(flags));
  const std::vector<GroupTable> tables = ReadGroupTables(flags.by);
  std::optional<Model> model = LoadForEvaluation(context.model, flags);
  EvaluationPart whole = ReadWhole(flags, OptionsOfPart(context.options, model), DigestOf(model));
  RequireResultsOfModel(whole, model);
  const AdapterPtr adapter = flags.report.empty() ? nullptr : AdapterOf(flags, model, context);
  if (adapter && whole.finder != adapter->finder_names())
    throw Error("parts", fmt::format("had faces found by {}, and here it is {}",
                                     whole.finder.value_or("nothing"), adapter->finder_names()));
  const Run run = context.StartRun("images");
  ReportMessages(whole, run);
  const auto evaluate = [&](const Run&, std::optional<double> above) {
    for (const std::string& file : above ? flags.partials : std::vector<std::string>())
      CountAbove(whole, ReadEvaluationPart(file), file, *above);
    return ReportOf(whole);
  };
  EvaluationReport report = model ? EvaluateByRule(*model, flags, run, evaluate) : ReportOf(whole);
  if (StopFlag()) return;
  AddGroups(report, flags.by, tables, run);
  WriteEvaluation(report, flags, model ? &*model : nullptr, adapter, context);
}

// The second model, which must find the same class as the first one, and, for costs, which stand in
// the order of the classes, have the same ones.
std::optional<Model> LoadSecondModel(const Model& model, const EvaluateFlags& flags) {
  const std::string& file = flags.models.back();
  std::optional<Model> second = LoadForEvaluation(file, flags);
  if (second->positive().name != model.positive().name)
    throw Error(file, fmt::format("finds {}, and the other model {}", second->positive().name,
                                  model.positive().name));
  if (!flags.detector.class_costs.empty() &&
      !std::ranges::equal(second->classes, model.classes, {}, &ClassModel::name, &ClassModel::name))
    throw Error(file,
                "has other classes than the other model, and --class-costs are in the order of "
                "the classes (`skinmask show` lists them)");
  return second;
}

// Judges the second model and writes the results of both.
void EvaluateSecond(const EvaluationReport& report, std::optional<Model> second,
                    const EvaluateFlags& flags, const Model& model, const AdapterPtr& adapter,
                    Context& context, const Run& run) {
  EvaluationReport other = Evaluate(flags, second, AdapterOf(flags, second, context), run);
  run.RequireAsBefore(report.images.size(), other.images.size());
  other.tones.clear();  // groups are made of the first model's report only
  if (StopFlag()) return;
  const Rival rival{*second, other};
  WriteEvaluation(report, flags, &model, adapter, context, &rival);
}

}  // namespace

void RunEvaluate(const EvaluateFlags& flags, Context& context) {
  if (!flags.models.empty()) context.model = flags.models.front();
  CheckEvaluateFlags(flags, context);
  SourceDate();  // throws for a wrong value before any work
  context.options = context.deciding;
  if (!flags.partials.empty()) return MergeParts(flags, context);
  context.Confine(AccessOf(flags));
  std::optional<Model> model = LoadForEvaluation(context.model, flags);
  std::optional<Model> second;
  if (flags.models.size() == 2) second = LoadSecondModel(*model, flags);
  const AdapterPtr adapter = AdapterOf(flags, model, context);
  const std::vector<GroupTable> tables = ReadGroupTables(flags.by);
  if (!flags.partial.empty()) return WritePart(flags, model, adapter, context);
  const Run run = context.StartRun("images");
  EvaluationReport report = Evaluate(flags, model, adapter, run);
  if (!StopFlag()) AddGroups(report, flags.by, tables, run);
  if (second)
    return EvaluateSecond(report, std::move(second), flags, *model, adapter, context, run.Again());
  if (StopFlag()) return;  // incomplete scores would look like complete ones
  WriteEvaluation(report, flags, model ? &*model : nullptr, adapter, context);
}

}  // namespace skinmask::cli
