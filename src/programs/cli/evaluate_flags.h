// The options of `evaluate`, which its parts keep for the merge.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "programs/cli/adapt_flags.h"
#include "programs/cli/context.h"
#include "programs/cli/decision_flags.h"
#include "programs/cli/group_flags.h"
#include "skinmask/pipeline/collect_samples.h"

namespace skinmask::cli {

struct EvaluateFlags {
  std::vector<std::string> models;  // the model, and the one beside it; none: the built-in one
  std::vector<std::string> samples;
  PairOptions pairs;
  std::string predicted;
  DecisionFlags decision;
  AdaptFlags adapt;
  std::string abstain;  // LOW,HIGH, or empty
  GroupFlags by;
  std::string report;                 // the page to write, or empty
  std::string title;                  // of the page, or empty
  std::string shard = "1/1";          // what to judge,
  std::string partial;                // for this file of a part
  std::vector<std::string> partials;  // files to make the whole of
};

// The verb with its options, but no action.
CLI::App* AddEvaluateVerb(CLI::App& app, EvaluateFlags& flags, Context& context);
// Throws UsageError for options that do not go together.
void CheckEvaluateFlags(const EvaluateFlags& flags, const Context& context);
// Throws UsageError where a second model is given.
void RequireOneModel(const EvaluateFlags& flags, const std::string& option);
// Throws UsageError for a title without a page.
void RequireReportOfTitle(const EvaluateFlags& flags);
// The pairs that are judged, whether by a model or as masks.
PairOptions PairsOf(const EvaluateFlags& flags);

}  // namespace skinmask::cli
