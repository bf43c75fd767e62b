#include "programs/cli/decision_flags.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "base/parse.h"
#include "programs/cli/option_checks.h"
#include "programs/cli/usage_error.h"
#include "programs/cli/verb.h"

namespace skinmask::cli {

void AddDecisionFlags(CLI::App& verb, DecisionFlags& flags, const std::string& default_rule) {
  const OptionGroup group(verb, "Decision");
  CLI::Option* const all[] = {
      group
          .Add("--threshold", flags.threshold, "P",
               "A pixel is skin when P(skin) is above this (default: " + default_rule + ")")
          ->check(Probability()),
      group.AddFlag("--max-f1", flags.max_f1, "Choose the threshold with the best pooled F1"),
      group
          .Add("--max-fpr", flags.max_fpr, "R",
               "... with the largest recall at a false positive rate of at most R")
          ->check(Probability()),
      group
          .Add("--min-recall", flags.min_recall, "R",
               "... with the smallest false positive rate at a recall of at least R")
          ->check(Probability()),
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
    throw UsageError(
        fmt::format("--cost '{}' is not FP:FN (two numbers above 0, as in 1:5)", flags.cost));
  return DecisionRule{Kind::kCost, (*costs)[0], (*costs)[1]};
}

}  // namespace skinmask::cli
