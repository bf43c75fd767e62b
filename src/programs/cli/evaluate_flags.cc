#include "programs/cli/evaluate_flags.h"

#include <algorithm>

#include "base/parse.h"
#include "programs/cli/verb.h"
#include "skinmask/pipeline/grouping.h"

namespace skinmask::cli {

namespace {

constexpr const char* kTone = "tone";

constexpr const char* kExamples =
    "  skinmask evaluate --images samples/photos --truth samples/masks --report report.html\n"
    "  skinmask evaluate --images samples/photos --truth samples/masks --by tone\n"
    "  skinmask evaluate --samples samples/labelled-pixels.csv --max-f1 --json scores.json\n"
    "  skinmask evaluate --samples samples/labelled-pixels.csv --picture curves.png\n"
    "  skinmask evaluate --images samples/photos --truth samples/masks --shard 1/1 --partial "
    "part-1.json\n"
    "  skinmask evaluate --images samples/photos --truth samples/masks --partials part-1.json";

void AddOutputs(CLI::App& verb, EvaluateFlags& flags) {
  const OptionGroup output(verb, "Output", kChangesNoResult);
  output
      .Add("--partial", flags.partial, "FILE",
           "Write what the shard gives, for --partials, and no result")
      ->check(NamedLike({".json"}, "a part"));
  output
      .Add("--report", flags.report, "FILE.html",
           "One HTML page with scores, curves and a gallery, which opens without a network")
      ->check(NamedLike({".html"}, "a page"));
  output
      .Add("--picture", flags.picture, "FILE.png|FILE.svg",
           "Draw error rates against the threshold, and the ROC curve")
      ->check(NamedLike({".png", ".svg"}, "a picture"));
  output.Add("--title", flags.title, "TEXT", "Title of the page (default: Evaluation)");
  OptionGroup(verb, "Output")
      .AddEach(
          "--by", flags.by, "tone|FILE.csv",
          "Also scores of groups of images: by the tone of their true skin, or by each column of "
          "a table with a row for each image; repeatable")
      ->check(CheckedBy([](const std::string& by) {
        const bool known = by == kTone || LowerCase(by).ends_with(".csv");
        return known ? "" : "'" + by + "' is neither tone nor a table (FILE.csv)";
      }));
}

void AddModels(CLI::App& verb, EvaluateFlags& flags) {
  OptionGroup(verb, "Model")
      .Add("--model", flags.models, "MODEL",
           "Model file (default: the built-in model); given twice, the second is compared")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace

void CheckEvaluateFlags(const EvaluateFlags& flags, const Context& context) {
  if (!flags.predicted.empty()) {
    CheckPairOptions(flags.pairs);
    if (!flags.pairs.images.empty() || !flags.samples.empty())
      throw UsageError("give one of --images, --predicted and --samples");
    if (flags.pairs.masks.empty() || !flags.pairs.whole_class.empty())
      throw UsageError("--predicted needs --truth");
    if (RuleOf(flags.decision) || !flags.models.empty())
      throw UsageError("--predicted masks are decided already (no --model, no threshold or rule)");
    if (ByTone(flags.by))
      throw UsageError("--by tone looks at photographs, and --predicted are masks (--images)");
  } else {
    if (flags.samples.empty() == flags.pairs.images.empty())
      throw UsageError(
          "give one of --images (with --truth or --whole), --predicted (with --truth) and "
          "--samples (with --partials, what the parts were made with)");
    CheckSource(flags.samples, flags.pairs, "--truth");
  }
  if (flags.models.size() > 2) throw UsageError("--model is given twice at most");
  RuleOf(flags.decision);  // throws for a wrong one before any work
  if (flags.detector.abstain && !flags.predicted.empty())
    throw UsageError("--abstain is of probabilities, and --predicted masks have none");
  if (!flags.detector.class_costs.empty() && !flags.predicted.empty())
    throw UsageError("--class-costs is of a model's classes, and --predicted masks have none");
  const std::vector<NamedOutput> outputs{{flags.report, "--report"},
                                         {flags.picture, "--picture"},
                                         {flags.partial, "--partial"},
                                         {context.json, "--json"}};
  RequireApart(outputs);
  if (!flags.picture.empty() && !flags.predicted.empty())
    throw UsageError("--picture shows curves of scores, and --predicted masks have none");
  if (!flags.title.empty() && flags.report.empty())
    throw UsageError("--title is of a page (give --report)");
  RequireApart(outputs, TablesOf(flags.by), "--by");
}

void AddEvaluate(CLI::App& app, Context& context) {
  const auto [verb, flags] =
      AddVerb(app, "evaluate", "Judge a model, or masks, against ground truth", kExamples, context,
              RunEvaluate);
  const OptionGroup group(verb, "Input");
  group.Add("--images", flags.pairs.images, "DIR|FILE.tar",
            "Folder of images to run the model on, or a tar archive");
  group.Add("--predicted", flags.predicted, "DIR|FILE.tar",
            "Folder of masks to judge as they are, or a tar archive");
  group.Add("--truth", flags.pairs.masks, "DIR|FILE.tar",
            "Folder of the true masks, or a tar archive (archives: default --images)");
  AddSamplesOption(group, flags.samples, "Tables of labelled pixels to run the model on");
  AddDecisionFlags(verb, flags.decision, "the model's own");
  for (const char* const name : {"abstain", "class_costs"})
    AddTableOption(verb, FindOption(DetectorTable().rows(), name), &flags.detector);
  OptionGroup(verb, "Input", kChangesNoResult)
      .Add("--partials", flags.partials, "FILE",
           "Files of all parts of an evaluation, to make the whole of, with the options "
           "that they were made with");
  AddShardOption(verb, flags.pairs.shard);
  AddOutputs(verb, flags);
  AddAdaptationOptions(verb, flags.detector);
  verb.remove_option(verb.get_option("--steady"));  // which is of videos
  AddModels(verb, flags);
  AddPairOptions(verb, flags.pairs);
  OptionGroup(verb, "Masks")
      .AddFlag("--allow-missing", flags.pairs.allow_missing,
               "Judge the images that have a mask, and count those that have none");
  AddRunOptions(verb, context);
}

PairOptions PairsOf(const EvaluateFlags& flags) {
  PairOptions pairs = flags.pairs;
  if (!flags.predicted.empty()) pairs.images = flags.predicted;
  return pairs;
}

bool ByTone(const GroupFlags& by) { return std::ranges::find(by, kTone) != by.end(); }

std::vector<GroupTable> ReadGroupTables(const GroupFlags& by) {
  std::vector<GroupTable> tables;
  for (const std::string& file : TablesOf(by)) tables.push_back(ReadGroupTable(file));
  return tables;
}

void AddGroups(EvaluationReport& report, const GroupFlags& by,
               const std::vector<GroupTable>& tables, const Run& run) {
  auto table = tables.begin();
  for (const std::string& one : by)
    one == kTone ? AddToneGroupings(report) : AddGroupings(report, *table++, run);
  if (!ByTone(by)) report.tones.clear();  // parts may contain tones
}

std::vector<std::string> TablesOf(const GroupFlags& by) {
  std::vector<std::string> files = by;
  std::erase(files, kTone);
  return files;
}

}  // namespace skinmask::cli
