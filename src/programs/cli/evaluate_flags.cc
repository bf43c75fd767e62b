#include "programs/cli/evaluate_flags.h"

#include "programs/cli/option_checks.h"
#include "programs/cli/pair_flags.h"
#include "programs/cli/sample_source.h"
#include "programs/cli/shard_flag.h"
#include "programs/cli/uncertainty_flags.h"
#include "programs/cli/usage_error.h"
#include "programs/cli/verb.h"
#include "skinmask/base/file.h"

namespace skinmask::cli {

PairOptions PairsOf(const EvaluateFlags& flags) {
  PairOptions pairs = flags.pairs;
  if (!flags.predicted.empty()) pairs.images = flags.predicted;
  pairs.shard = ShardOf(flags.shard);
  return pairs;
}

void RequireOneModel(const EvaluateFlags& flags, const std::string& option) {
  if (flags.models.size() > 1) throw UsageError(option + " is of one model (give --model once)");
}

namespace {

constexpr const char* kExamples =
    "  skinmask evaluate --images samples/photos --truth samples/masks "
    "--report report.html\n"
    "  skinmask evaluate --images samples/photos --truth samples/masks "
    "--by tone\n"
    "  skinmask evaluate --samples samples/labelled-pixels.csv --max-f1 "
    "--json scores.json\n"
    "  skinmask evaluate --images samples/photos --truth samples/masks "
    "--shard 1/1 --partial part-1.json\n"
    "  skinmask evaluate --partials part-1.json --report whole.html";

void CheckPart(const EvaluateFlags& flags, const Context& context) {
  RequirePartial(flags.shard, flags.partial);
  if (flags.partial.empty()) return;
  RequireOneModel(flags, "--partial");
  if (!flags.samples.empty()) throw UsageError("--partial is of images, and tables are read");
  if (!context.json.empty() || !flags.report.empty())
    throw UsageError("--json and --report are of the whole, which --partials makes of the parts");
  RequireWritable(flags.partial, context.overwrite());
}

}  // namespace

void RequireReportOfTitle(const EvaluateFlags& flags) {
  if (!flags.title.empty() && flags.report.empty())
    throw UsageError("--title is of a page (give --report)");
}

void CheckEvaluateFlags(const EvaluateFlags& flags, const Context& context) {
  if (!flags.predicted.empty()) {
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
          "give one of --images (with --truth or --whole), --predicted (with --truth), --samples "
          "and --partials");
    CheckSource(flags.samples, flags.pairs, "--truth");
  }
  if (flags.models.size() > 2) throw UsageError("--model is given twice at most");
  RuleOf(flags.decision);  // a wrong one before any work
  if (AbstainOf(flags.abstain) && !flags.predicted.empty())
    throw UsageError("--abstain is of probabilities, and --predicted masks have none");
  CheckPairOptions(flags.pairs);
  CheckPart(flags, context);
  RequireApart(flags.report, "--report", context.json, "--json");
  RequireReportOfTitle(flags);
  for (const auto& [output, flag] : {std::pair(flags.report, "--report"),
                                     {flags.partial, "--partial"},
                                     {context.json, "--json"}}) {
    RequireNoArchive(output, flag, flags.pairs);
    RequireNoTable(flags.by, output, flag);
  }
  if (!flags.report.empty()) RequireWritable(flags.report, context.overwrite());
}

namespace {

void AddOutputs(CLI::App& verb, EvaluateFlags& flags) {
  const OptionGroup output(verb, "Output");
  output
      .Add("--partial", flags.partial, "FILE",
           "Write what the shard gives, for --partials, and no result")
      ->check(NamedLike({".json"}, "a part"));
  output
      .Add("--report", flags.report, "FILE.html",
           "One HTML page with scores, curves and a gallery, which opens without a network")
      ->check(NamedLike({".html"}, "a page"));
  output.Add("--title", flags.title, "TEXT", "Title of the page (default: Evaluation)");
}

void AddModels(CLI::App& verb, EvaluateFlags& flags) {
  OptionGroup(verb, "Model")
      .Add("--model", flags.models, "MODEL",
           "Model file (default: the built-in model); given twice, the second is compared")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->check([](const std::string& file) { return file.empty() ? "names no file" : ""; }, "");
}

}  // namespace

CLI::App* AddEvaluateVerb(CLI::App& app, EvaluateFlags& flags, Context& context) {
  CLI::App* verb =
      AddVerb(app, "evaluate", "Judge a model, or masks, against ground truth", kExamples, context);
  const OptionGroup group(*verb, "Input");
  group.Add("--images", flags.pairs.images, "DIR|FILE.tar",
            "Folder of images to run the model on, or a tar archive");
  group.Add("--predicted", flags.predicted, "DIR|FILE.tar",
            "Folder of masks to judge as they are, or a tar archive");
  group.Add("--truth", flags.pairs.masks, "DIR|FILE.tar",
            "Folder of the true masks, or a tar archive (default: that of --images)");
  group.Add("--samples", flags.samples, "FILE", "Tables of labelled pixels to run the model on");
  AddDecisionFlags(*verb, flags.decision, "the model's own");
  AddAbstainFlag(*verb, flags.abstain);
  group.Add("--partials", flags.partials, "FILE",
            "Files of all parts of an evaluation, to make the whole of");
  AddShardOption(*verb, flags.shard);
  AddOutputs(*verb, flags);
  AddGroupOption(*verb, flags.by);
  AddAdaptFlags(*verb, flags.adapt);
  AddModels(*verb, flags);
  AddPairOptions(*verb, flags.pairs);
  OptionGroup(*verb, "Masks")
      .AddFlag("--allow-missing", flags.pairs.allow_missing,
               "Judge the images that have a mask, and count those that have none");
  AddRunOptions(*verb, context);
  return verb;
}

}  // namespace skinmask::cli
