#include "programs/cli/compare_flags.h"

#include "programs/cli/option_checks.h"
#include "programs/cli/pair_flags.h"
#include "programs/cli/sample_source.h"
#include "programs/cli/shard_flag.h"
#include "programs/cli/usage_error.h"
#include "programs/cli/verb.h"
#include "skinmask/base/file.h"

namespace skinmask::cli {
namespace {

void CheckPart(const CompareFlags& flags, const Context& context) {
  RequirePartial(flags.shard, flags.partial);
  if (flags.partial.empty()) return;
  if (!context.json.empty() || !flags.report.empty() || !flags.output.empty())
    throw UsageError("--json, --report and --write are of the whole, which --partials makes");
  RequireWritable(flags.partial, context.overwrite());
}

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
  group.AddChoice("--covariance", flags.covariance, WordsOf(EstimatorNames()), "As for train");
  group.AddDefault("--positive", flags.positive, "CLASS", "The class to find");
  group.Add("--models", flags.models, "default|MODEL",
            "Models to judge beside them as they are: files, or default (the built-in one)");
}

void AddChoiceFlags(CLI::App& verb, CompareFlags& flags) {
  const OptionGroup group(verb, "Choice");
  group.AddDefault("--folds", flags.folds, "N", "Parts to divide images (or colours) into")
      ->check(Within(2, 1 << 16));
  group.AddDefault("--seed", flags.seed, "N", "Another number divides otherwise");
  group.AddChoice("--select", flags.select, {"auc", "f1", "log-loss"}, "What the best is best by");
  group.AddChoice(
      "--take", flags.take, {"best", "simplest"},
      "Which candidate to write: the best, or the simplest of those within one standard "
      "error of it");
  OptionGroup(verb, "Output")
      .Add("--write", flags.output, "MODEL", "Train the best on everything and write it here");
}

}  // namespace

void CheckCompareFlags(const CompareFlags& flags, const Context& context) {
  CheckSource(flags.samples, flags.pairs, "--masks");
  CheckPairOptions(flags.pairs);
  CheckPart(flags, context);
  const bool trains = flags.kinds != std::vector<std::string>{std::string(kNoKind)};
  if (!trains && flags.models.empty())
    throw UsageError("--kinds none needs --models (or there is nothing to compare)");
  if (!trains && !flags.output.empty())
    throw UsageError("--write trains a candidate (--kinds none has none)");
  if (flags.output.empty() && RuleOf(flags.decision))
    throw UsageError("a threshold or rule is for the model of --write");
  if (flags.output.empty() && flags.take != "best")
    throw UsageError("--take is for the model of --write");
  RequireApart(flags.output, "--write", context.json, "--json");
  RequireApart(flags.report, "--report", context.json, "--json");
  RequireApart(flags.report, "--report", flags.output, "--write");
  for (const std::string& file : flags.samples)
    for (const auto& [output, flag] :
         {std::pair(flags.output, "--write"), std::pair(flags.report, "--report"),
          std::pair(flags.partial, "--partial")})
      RequireApart(output, flag, file, "--samples");
  for (const std::string& file : flags.partials)
    for (const auto& [output, flag] :
         {std::pair(flags.output, "--write"), std::pair(flags.report, "--report"),
          std::pair(context.json, "--json")})
      RequireApart(output, flag, file, "--partials");
  for (const std::string& file : flags.models) {
    if (file == kBuiltInModel) continue;
    RequireApart(flags.output, "--write", file, "--models");
    RequireApart(flags.report, "--report", file, "--models");
    RequireApart(flags.partial, "--partial", file, "--models");
    RequireApart(context.json, "--json", file, "--models");
  }
  for (const std::string& output : {flags.output, flags.report})
    if (!output.empty()) RequireWritable(output, context.overwrite());
}

CLI::App* AddCompareVerb(CLI::App& app, CompareFlags& flags, Context& context) {
  CLI::App* verb =
      AddVerb(app, "compare", "Choose between models by cross-validation",
              "  skinmask compare --images samples/photos --masks samples/masks "
              "--step 8 --folds 2\n"
              "  skinmask compare --samples samples/labelled-pixels.csv --folds 2 "
              "--write best.json\n"
              "  skinmask sample --samples samples/labelled-pixels.csv -o s.csv\n"
              "  skinmask compare --samples s.csv --folds 2 --shard 3/20 --partial part-3.json",
              context);
  const OptionGroup group(*verb, "Input");
  group.Add("--samples", flags.samples, "FILE", "Tables of labelled pixels");
  group.Add("--images", flags.pairs.images, "DIR|FILE.tar", "Folder of images, or a tar archive");
  group.Add("--masks", flags.pairs.masks, "DIR|FILE.tar",
            "Folder of their masks, or a tar archive (default: that of the images)");
  group
      .AddDefault("--step", flags.pairs.step, "N", "Of images, every N-th pixel of every N-th row")
      ->check(Within(1, 1 << 20));
  AddShardOption(*verb, flags.shard);
  group.Add("--partials", flags.partials, "FILE",
            "Files of all parts of a comparison, to make the whole of");
  const OptionGroup output(*verb, "Output");
  output.Add("--partial", flags.partial, "FILE",
             "Write what the shard of the models gives, for --partials, and no result");
  output.Add("--report", flags.report, "FILE.html",
             "One HTML page with the table and its plots, which opens without a network");
  AddCandidateFlags(*verb, flags);
  AddChoiceFlags(*verb, flags);
  AddDecisionFlags(*verb, flags.decision, "0.5");
  AddPairOptions(*verb, flags.pairs);
  AddRunOptions(*verb, context);
  return verb;
}

}  // namespace skinmask::cli
