// The sources of labelled pixels: tables, or images with masks.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "programs/cli/verb.h"
#include "skinmask/data/samples.h"
#include "skinmask/learn/decision.h"
#include "skinmask/pipeline/collect_samples.h"

namespace skinmask::cli {

// Throws UsageError unless exactly one of the sources is given, --samples, or --images with its
// masks, and for what CheckPairOptions refuses.
void CheckSource(const std::vector<std::string>& tables, const PairOptions& pairs,
                 const std::string& masks_option);
// The files and folders of the source.
std::vector<std::filesystem::path> PathsOf(const std::vector<std::string>& tables,
                                           const PairOptions& pairs);
Samples ReadTables(const std::vector<std::string>& tables);
// Reads the tables or, without tables, the pairs.
Samples ReadSource(const std::vector<std::string>& tables, const PairOptions& pairs,
                   const Run& run);

// --samples; `what` describes it.
void AddSamplesOption(const OptionGroup& group, std::vector<std::string>& tables,
                      const std::string& what);
// --images and --masks.
void AddImageOptions(const OptionGroup& group, PairOptions& pairs);
// --image-name, --mask-name, --label, --ignore, --invert, --whole.
void AddPairOptions(CLI::App& verb, PairOptions& pairs);
// Throws UsageError for invalid patterns and labels.
void CheckPairOptions(const PairOptions& pairs);

// --threshold, --max-f1, --max-fpr, --min-recall, --cost; each excludes the others.
struct DecisionFlags {
  std::optional<double> threshold, max_fpr, min_recall;
  bool max_f1 = false;
  std::string cost;
};

void AddDecisionFlags(CLI::App& verb, DecisionFlags& flags, const std::string& default_rule);
// The requested rule, if any. Throws UsageError for invalid costs.
std::optional<DecisionRule> RuleOf(const DecisionFlags& flags);

}  // namespace skinmask::cli
