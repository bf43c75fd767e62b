#include <fmt/format.h>

#include <memory>

#include "base/json.h"
#include "pipeline/evaluation_part.h"
#include "pipeline/sha256.h"
#include "programs/cli/evaluate_flags.h"
#include "programs/cli/evaluate_judge.h"
#include "programs/cli/evaluation_output.h"
#include "programs/cli/option_checks.h"
#include "programs/cli/part_options.h"
#include "programs/cli/print.h"
#include "programs/cli/sample_source.h"
#include "programs/cli/signals.h"
#include "programs/cli/uncertainty_flags.h"
#include "programs/cli/usage_error.h"
#include "programs/cli/verb.h"
#include "programs/cli/verbs.h"
#include "skinmask/base/version.h"
#include "skinmask/pipeline/evaluate.h"
#include "skinmask/report/gallery.h"
#include "skinmask/report/report.h"

namespace skinmask::cli {
namespace {

using AdapterPtr = std::shared_ptr<const Adapter>;

// Who uses it knows better.
const DetectorOptions kExpectingLittle{.expected = {.expected_pixels = 0}};

// The page: the JSON, and pictures of the images that it chose.
void WritePage(const std::string& json, const EvaluationReport& report, const EvaluateFlags& flags,
               const Model* model, const AdapterPtr& adapter, Context& context,
               const std::string& page) {
  std::optional<Detector> detector;
  if (model) detector.emplace(*model, adapter, kExpectingLittle);
  const std::vector<GalleryPictures> pictures =
      DrawGallery(PairsOf(flags), detector ? &*detector : nullptr, NamesOfGallery(report),
                  context.StartRun("images"));
  if (StopFlag()) return;
  WriteFile(page, ReportToHtml(json, pictures), context.overwrite());
}

void PrintResult(const EvaluationReport& report, const EvaluateFlags& flags,
                 const Context& context) {
  if (report.masks_look_inverted && !context.quiet)
    PrintLine(fmt::format(
        "warning: {}: these masks{} look inverted: less of what they call {} is "
        "found than of the rest ({})",
        flags.pairs.masks.string(), flags.predicted.empty() ? "" : ", or the predicted ones,",
        report.positive, flags.pairs.invert ? "--invert is given" : "--invert swaps them"));
  if (report.pooled.counts.Total() == 0 || context.json_to_stdout()) return;
  PrintEvaluation(report, flags.adapt.by_faces());
  if (flags.pairs.allow_missing)
    Print("{} of {} images have no mask and are left out\n", report.images_without_mask,
          report.images_without_mask + report.images.size());
}

// Where results go: what a merge has of its own, while its other flags are those of the parts.
struct Destination {
  std::string page, title;  // or empty
};

// Prints and writes what was found.
void Show(const EvaluationReport& report, const EvaluateFlags& flags, const Model* model,
          const AdapterPtr& adapter, Context& context, const Destination& to,
          const Rival* rival = nullptr) {
  PrintResult(report, flags, context);
  if (rival && !context.json_to_stdout()) {
    Print("\n{}:\n", flags.models.back());
    PrintEvaluation(rival->report, flags.adapt.by_faces());
  }
  if (context.json.empty() && to.page.empty()) return;
  Json root = Json::parse(FullReportToJson(report, model, rival));
  if (!to.title.empty()) root["title"] = to.title;
  if (const auto date = SourceDate()) root["date"] = *date;
  context.WriteRecord(root);
  root["version"] = kVersion;
  root["options"] = context.options;
  if (!to.page.empty())
    WritePage(JsonText(root, 1) + "\n", report, flags, model, adapter, context, to.page);
}

std::string DigestOf(const std::optional<Model>& model) {
  return model ? Sha256(ModelToJson(*model)) : "";
}

// Judges a shard, for a merge. Rules that need all data act there.
void WritePart(const EvaluateFlags& flags, std::optional<Model>& model, const AdapterPtr& adapter,
               Context& context) {
  const std::string digest = DigestOf(model);
  const std::optional<DecisionRule> rule = RuleOf(flags.decision);
  const bool fixed = rule && rule->kind == DecisionRule::Kind::kFixed;
  if (fixed) model->decision = {rule->value, "fixed", ""};
  std::optional<Detector> detector;
  if (model) detector.emplace(*model, adapter, kExpectingLittle);
  EvaluationPart part =
      EvaluateShard(PairsOf(flags), detector ? &*detector : nullptr,
                    {rule && !fixed, std::nullopt, ByTone(flags.by)}, context.StartRun("images"));
  if (StopFlag()) return;  // it would pass for the whole shard
  part.header.version = kVersion;
  part.header.model = digest;
  part.header.options = context.options;
  WriteFile(flags.partial, FormatEvaluationPart(part), context.overwrite());
}

Access AccessOf(const EvaluateFlags& flags) {
  Access access{PathsOf(flags.samples, flags.pairs), {}, {flags.report, flags.partial}};
  access.reads.emplace_back(flags.predicted);
  if (!flags.models.empty()) access.reads.emplace_back(flags.models.back());
  for (const std::filesystem::path& table : TablesOf(flags.by)) access.reads.push_back(table);
  AddReads(flags.adapt, access.reads);
  return access;
}

AdapterPtr AdapterOf(const EvaluateFlags& flags, const std::optional<Model>& model) {
  if (!flags.pairs.images.empty()) {
    DetectorOptions options = kExpectingLittle;
    SetAdaptation(flags.adapt, options);
    return Detector(*model, options).adapter();
  }
  if (flags.adapt.any_given()) throw UsageError("--adapt, --faces and seeds need --images");
  return nullptr;
}

// What a part says is read, beside what this command line says.
std::vector<std::filesystem::path> ReadsOfPart(const EvaluateFlags& merge,
                                               const EvaluateFlags& flags) {
  std::vector<std::filesystem::path> paths{flags.pairs.images, flags.pairs.masks, flags.predicted,
                                           flags.adapt.faces, flags.adapt.seed_mask};
  if (merge.models.empty()) paths.insert(paths.end(), flags.models.begin(), flags.models.end());
  if (merge.by.empty())
    for (std::filesystem::path& table : TablesOf(flags.by)) paths.push_back(std::move(table));
  return paths;
}

void CheckReads(const std::vector<std::filesystem::path>& paths, const std::string& file,
                bool tell) {
  RequirePlainPaths(paths, file);
  if (tell) PrintLine("the parts name what the page shows: " + NamesOf(paths));
}

// The options of the parts, as their command lines had them, with the rule of this one.
EvaluateFlags FlagsOfParts(const EvaluateFlags& merge, Context& context) {
  const std::string& file = merge.partials.front();
  const EvaluationPart first = ReadEvaluationPart(file);
  Json options = first.header.options;
  RequireDeciding(options, file);
  if (const std::optional<DecisionRule> rule = RuleOf(merge.decision)) {
    if (rule->kind == DecisionRule::Kind::kFixed)
      throw UsageError("--threshold judges images, which the parts did (give it with --shard)");
    if (!first.keeps_scores)
      throw Error(file,
                  "was made without a rule, and keeps no scores of each image (a rule, as "
                  "--max-f1, with --shard)");
    for (const char* name : {"max-f1", "max-fpr", "min-recall", "cost"}) {
      options.erase(name);
      if (context.options.contains(name)) options[name] = context.options[name];
    }
  }
  if (!merge.by.empty()) {
    if (ByTone(merge.by) && !first.keeps_tones)
      throw Error(file, "was made without tones (--by tone with --shard)");
    options["by"] = context.options["by"];
  }
  EvaluateFlags flags;
  Context parsed;
  context.options = ParseOptions([&](CLI::App& app) { return AddEvaluateVerb(app, flags, parsed); },
                                 options, file);
  try {
    CheckEvaluateFlags(flags, parsed);
    RequireOneModel(flags, "--partials");
  } catch (const UsageError& e) {
    throw Error(file, fmt::format("holds options that do not go together: {}", e.what()));
  }
  if (!flags.samples.empty()) throw Error(file, "is of tables (a part is of images)");
  CheckReads(ReadsOfPart(merge, flags), file, !merge.report.empty() && !context.quiet);
  if (context.model.empty() && !flags.models.empty()) context.model = flags.models.front();
  return flags;
}

// Reads all parts.
EvaluationPart WholeOf(const std::vector<std::string>& files, const std::string& digest) {
  EvaluationMerge merge;
  for (const std::string& file : files) {
    if (StopFlag()) throw Error("parts", "were not all read");
    EvaluationPart part = ReadEvaluationPart(file);
    if (part.header.model != digest)
      throw Error(file, "was made with another model than this (--model names the one)");
    merge.Add(file, std::move(part));
  }
  return std::move(merge).Whole();
}

// Throws Error where the parts were not made as they say themselves.
void RequireOfModel(const EvaluationPart& whole, const std::optional<Model>& model,
                    const std::optional<DecisionRule>& rule, const GroupFlags& by) {
  const bool of_classes = model && model->classes.size() > 2;
  const bool by_rule = rule && rule->kind != DecisionRule::Kind::kFixed;
  if (whole.has_scores != model.has_value() || (by_rule && !whole.keeps_scores) ||
      (model && whole.positive != model->positive().name) ||
      whole.classes.classes.empty() == of_classes || (ByTone(by) && !whole.keeps_tones))
    throw Error("parts", "hold other results than their options ask for (they were changed)");
}

// Of the images that `flags`, those of the parts, name only a page shows some.
Access AccessOfMerge(const EvaluateFlags& merge, const EvaluateFlags& flags) {
  Access access{{merge.partials.begin(), merge.partials.end()}, {}, {merge.report}};
  for (std::filesystem::path& path :
       merge.report.empty() ? TablesOf(flags.by) : AccessOf(flags).reads)
    access.reads.push_back(std::move(path));
  return access;
}

void MergeParts(const EvaluateFlags& merge, Context& context) {
  RequirePartsAlone(context.options,
                    {"by", "model", "threshold", "max-f1", "max-fpr", "min-recall", "cost"});
  RequireFiles(merge.partials, "--partials");
  RequireReportOfTitle(merge);
  RequireOneModel(merge, "--partials");
  RequireApart(merge.report, "--report", context.json, "--json");
  for (const auto& [output, option] :
       {std::pair(merge.report, "--report"), {context.json, "--json"}}) {
    for (const std::string& file : merge.partials) RequireApart(output, option, file, "--partials");
    RequireNoTable(merge.by, output, option);
  }
  if (!merge.report.empty()) RequireWritable(merge.report, context.overwrite());
  const EvaluateFlags flags = FlagsOfParts(merge, context);
  RequireNoTable(flags.by, context.json, "--json");
  context.Confine(AccessOfMerge(merge, flags));
  const std::vector<GroupTable> tables = ReadGroupTables(flags.by);
  std::optional<Model> model;
  if (flags.predicted.empty()) model = context.LoadModel();
  const AdapterPtr adapter = merge.report.empty() ? nullptr : AdapterOf(flags, model);
  EvaluationPart whole = WholeOf(merge.partials, DigestOf(model));
  RequireOfModel(whole, model, RuleOf(flags.decision), flags.by);
  if (adapter && whole.finder != adapter->finder_names())
    throw Error("parts", fmt::format("had faces found by {}, and here it is {}",
                                     whole.finder.value_or("nothing"), adapter->finder_names()));
  const Run run = context.StartRun("images");
  Tell(whole, run);
  const auto judge = [&](const Model&, const Run&, std::optional<double> above) {
    for (const std::string& file : above ? merge.partials : std::vector<std::string>())
      JudgeAgain(whole, ReadEvaluationPart(file), file, *above);
    return ReportOf(whole);
  };
  EvaluationReport report =
      model ? Judge(*model, RuleOf(flags.decision), run, judge) : ReportOf(whole);
  if (StopFlag()) return;
  report.abstain = AbstainOf(flags.abstain);
  AddGroups(report, flags.by, tables, run);
  Show(report, flags, model ? &*model : nullptr, adapter, context, {merge.report, merge.title});
}

// Judges the second model, and shows both.
void ShowBoth(const EvaluationReport& report, const EvaluateFlags& flags, const Model& model,
              const AdapterPtr& adapter, Context& context, const Destination& to, const Run& run) {
  Context beside;
  beside.model = flags.models.back();
  std::optional<Model> second = beside.LoadModel();
  if (second->positive().name != model.positive().name)
    throw Error(beside.model, fmt::format("finds {}, and the other model {}",
                                          second->positive().name, model.positive().name));
  EvaluationReport other = Report(flags, second, AdapterOf(flags, second), run);
  other.abstain = report.abstain;
  other.tones.clear();  // groups are of the first
  if (StopFlag()) return;
  const Rival rival{*second, other};
  Show(report, flags, &model, adapter, context, to, &rival);
}

void RunEvaluate(const EvaluateFlags& flags, Context& context) {
  if (!flags.models.empty()) context.model = flags.models.front();
  if (!flags.partials.empty()) return MergeParts(flags, context);
  CheckEvaluateFlags(flags, context);
  context.options = DecidingOptions(context.options);
  context.Confine(AccessOf(flags));
  std::optional<Model> model;
  if (flags.predicted.empty()) model = context.LoadModel();
  const AdapterPtr adapter = AdapterOf(flags, model);
  const std::vector<GroupTable> tables = ReadGroupTables(flags.by);
  if (!flags.partial.empty()) return WritePart(flags, model, adapter, context);
  const Run run = context.StartRun("images");
  EvaluationReport report = Report(flags, model, adapter, run);
  report.abstain = AbstainOf(flags.abstain);
  const Destination to{flags.report, flags.title};
  if (!StopFlag()) AddGroups(report, flags.by, tables, run);
  if (flags.models.size() == 2)
    return ShowBoth(report, flags, *model, adapter, context, to, Again(run));
  if (StopFlag()) return;  // scores of a part would pass for the whole
  Show(report, flags, model ? &*model : nullptr, adapter, context, to);
}

}  // namespace

void AddEvaluate(CLI::App& app, Context& context) {
  auto flags = std::make_shared<EvaluateFlags>();
  AddEvaluateVerb(app, *flags, context)->callback([flags, &context] {
    context.action = [flags](Context& c) { RunEvaluate(*flags, c); };
  });
}

}  // namespace skinmask::cli
