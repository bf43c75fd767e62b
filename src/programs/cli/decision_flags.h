// The options that say which threshold to take, for all verbs that have them.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "skinmask/learn/decision.h"

namespace skinmask::cli {

// --threshold, --max-f1, --max-fpr, --min-recall, --cost; each excludes the others.
struct DecisionFlags {
  std::optional<double> threshold, max_fpr, min_recall;
  bool max_f1 = false;
  std::string cost;
};

void AddDecisionFlags(CLI::App& verb, DecisionFlags& flags, const std::string& default_rule);
// The rule that was asked for, if any. Throws UsageError for costs that cannot be meant.
std::optional<DecisionRule> RuleOf(const DecisionFlags& flags);

}  // namespace skinmask::cli
