// The options of `compare`, which its parts keep for the merge.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "programs/cli/context.h"
#include "programs/cli/decision_flags.h"
#include "skinmask/pipeline/collect_samples.h"

namespace skinmask::cli {

struct CompareFlags {
  std::vector<std::string> samples;
  PairOptions pairs;
  std::vector<std::string> kinds{"qda",      "lda",          "gaussian-nb", "mixture",
                                 "logistic", "histogram-nb", "histogram"};
  std::vector<std::string> spaces{"BGR", "YCrCb", "rg", "HSV", "Lab", "Luv"};
  std::vector<std::string> channels{"all"}, shrinkages{"0"};
  std::vector<std::string> models;  // files, and kBuiltInModel
  std::string covariance = "mle", positive = "skin", select = "auc", take = "best", output, report;
  std::size_t folds = 5;
  std::uint64_t seed = 0;
  DecisionFlags decision;
  std::string shard = "1/1";          // which of the models to judge,
  std::string partial;                // for this file of a part
  std::vector<std::string> partials;  // files to make the whole of
};

inline constexpr std::string_view kNoKind = "none";           // as the one kind: nothing is trained
inline constexpr std::string_view kBuiltInModel = "default";  // as a model: the built-in one

// The verb with its options, but no action.
CLI::App* AddCompareVerb(CLI::App& app, CompareFlags& flags, Context& context);
// Throws UsageError for options that do not go together.
void CheckCompareFlags(const CompareFlags& flags, const Context& context);

}  // namespace skinmask::cli
