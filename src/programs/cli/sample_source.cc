#include "programs/cli/sample_source.h"

#include <algorithm>
#include <cmath>

#include "base/parse.h"
#include "media/archive.h"
#include "media/mask_pairs.h"
#include "skinmask/base/file.h"
#include "skinmask/media/ground_truth.h"

namespace skinmask::cli {

void CheckSource(const std::vector<std::string>& tables, const PairOptions& pairs,
                 const std::string& masks_option) {
  const bool images = !pairs.images.empty();
  if (tables.empty() == !images)
    throw UsageError("give either --samples, or --images with {} or --whole", masks_option);
  const bool masks = !pairs.masks.empty() || !pairs.whole_class.empty();
  const bool both = !pairs.masks.empty() && !pairs.whole_class.empty();
  if (images && (both || (!masks && !HoldsArchives(pairs.images))))
    throw UsageError("--images needs either {} or --whole", masks_option);
  if (!images && !pairs.masks.empty()) throw UsageError("{} needs --images", masks_option);
  CheckPairOptions(pairs);
}

std::vector<std::filesystem::path> PathsOf(const std::vector<std::string>& tables,
                                           const PairOptions& pairs) {
  std::vector<std::filesystem::path> paths(tables.begin(), tables.end());
  paths.push_back(pairs.images);
  paths.push_back(pairs.masks);
  return paths;
}

Samples ReadTables(const std::vector<std::string>& tables) {
  if (std::ranges::count(tables, kStandardInput) > 1)
    throw UsageError("--samples names standard input twice");
  SampleCounter all;
  for (const std::string& file : tables) all.Add(ReadSamples(file));
  return std::move(all).Finish();
}

Samples ReadSource(const std::vector<std::string>& tables, const PairOptions& pairs,
                   const Run& run) {
  return tables.empty() ? CollectSamples(pairs, run) : ReadTables(tables);
}

void AddSamplesOption(const OptionGroup& group, std::vector<std::string>& tables,
                      const std::string& what) {
  group.Add("--samples", tables, "FILE", what + "; - is standard input")
      ->transform(DashIs(kStandardInput));
}

void AddImageOptions(const OptionGroup& group, PairOptions& pairs) {
  group.Add("--images", pairs.images, "DIR|FILE.tar", "Folder of images, or a tar archive");
  group.Add("--masks", pairs.masks, "DIR|FILE.tar",
            "Folder of their masks, or a tar archive (archives: default --images)");
}

void AddPairOptions(CLI::App& verb, PairOptions& pairs) {
  const OptionGroup group(verb, "Masks");
  group.AddDefault("--image-name", pairs.image_name, "PATTERN",
                   "Name of images, without extension");
  group.AddDefault("--mask-name", pairs.mask_name, "PATTERN",
                   "Name of the mask that belongs to {stem}, any image extension");
  group.AddEach(
      "--label", pairs.labels, "CLASS=VALUE",
      "Class of a grey level, an R,G,B colour or 'other'; repeatable (default: above 127 is "
      "skin, else non-skin)");
  group.AddEach("--ignore", pairs.ignored, "VALUE", "Value that counts for nothing; repeatable");
  group.AddFlag("--invert", pairs.invert, "Swap the two classes");
  AddMaxPixelsOption(verb, pairs.max_pixels);
  CLI::Option* whole = group.Add("--whole", pairs.whole_class, "CLASS",
                                 "No mask files: every pixel of every image is of this class");
  for (const char* other : {"--mask-name", "--label", "--ignore", "--invert"})
    whole->excludes(verb.get_option(other));
}

void CheckPairOptions(const PairOptions& pairs) {
  AsUsage([&] {
    NamePattern(pairs.image_name, "--image-name");
    NamePattern(pairs.mask_name, "--mask-name");
    MaskRule(pairs.labels, pairs.ignored, pairs.invert);
    if (!pairs.whole_class.empty() && !IsClassName(pairs.whole_class))
      throw Error("--whole '" + pairs.whole_class + "'", "is no name for a class");
  });
}

void AddDecisionFlags(CLI::App& verb, DecisionFlags& flags, const std::string& default_rule) {
  const OptionGroup group(verb, "Decision");
  CLI::Option* const all[] = {
      group
          .Add("--threshold", flags.threshold, "P",
               "A pixel is skin when P(skin) is above this (default: " + default_rule + ")")
          ->check(Within(0.0, 1.0)),
      group.AddFlag("--max-f1", flags.max_f1, "Choose the threshold with the best pooled F1"),
      group
          .Add("--max-fpr", flags.max_fpr, "R",
               "... with the largest recall at a false positive rate of at most R")
          ->check(Within(0.0, 1.0)),
      group
          .Add("--min-recall", flags.min_recall, "R",
               "... with the smallest false positive rate at a recall of at least R")
          ->check(Within(0.0, 1.0)),
      group.Add("--cost", flags.cost, "FP:FN",
                "... with the least cost per pixel, (FP * false positives + FN * false negatives) "
                "/ pixels")};
  for (CLI::Option* option : all)
    for (CLI::Option* other : all)
      if (option != other) option->excludes(other);
}

std::optional<DecisionRule> RuleOf(const DecisionFlags& flags) {
  using Kind = DecisionRule::Kind;
  if (flags.threshold) return DecisionRule{Kind::kFixed, *flags.threshold};
  if (flags.max_f1) return DecisionRule{Kind::kMaxF1};
  if (flags.max_fpr) return DecisionRule{Kind::kMaxFpr, *flags.max_fpr};
  if (flags.min_recall) return DecisionRule{Kind::kMinRecall, *flags.min_recall};
  if (flags.cost.empty()) return std::nullopt;
  const auto costs = ParseNumbers<double>(flags.cost, ':');
  const auto good = [](double cost) { return cost > 0 && std::isfinite(cost); };
  if (!costs || costs->size() != 2 || !good((*costs)[0]) || !good((*costs)[1]))
    throw UsageError("--cost '{}' is not FP:FN (two numbers above 0, as in 1:5)", flags.cost);
  return DecisionRule{Kind::kCost, (*costs)[0], (*costs)[1]};
}

}  // namespace skinmask::cli
