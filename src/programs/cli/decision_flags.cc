// The options that say which threshold to take, for all verbs that have them.
#include <charconv>
#include <cmath>

#include "programs/cli/common.h"

namespace skinmask::cli {
namespace {

// One of FP:FN; NaN where it is no number.
double Cost(std::string_view text) {
  double value = NAN;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : NAN;
}

}  // namespace

void AddDecisionOptions(CLI::App& verb, DecisionOptions& options, const std::string& default_rule) {
  std::vector<CLI::Option*> all;
  const auto add = [&](CLI::Option* option) {
    for (CLI::Option* other : all) option->excludes(other);
    all.push_back(option->group("Decision"));
    return option;
  };
  add(verb.add_option("--threshold", options.threshold,
                      "A pixel is skin when P(skin) is above this (default: " + default_rule + ")"))
      ->check(Probability())
      ->type_name("P");
  add(verb.add_flag("--max-f1", options.max_f1, "Choose the threshold with the best pooled F1"));
  add(verb.add_option("--max-fpr", options.max_fpr,
                      "... with the largest recall at a false positive rate of at most R"))
      ->check(Probability())
      ->type_name("R");
  add(verb.add_option("--min-recall", options.min_recall,
                      "... with the smallest false positive rate at a recall of at least R"))
      ->check(Probability())
      ->type_name("R");
  add(verb.add_option("--cost", options.cost,
                      "... with the least cost per pixel, (FP * false positives + FN * false "
                      "negatives) / pixels"))
      ->type_name("FP:FN");
}

std::optional<DecisionRule> RuleOf(const DecisionOptions& options) {
  using Kind = DecisionRule::Kind;
  if (options.threshold) return DecisionRule{Kind::kFixed, *options.threshold};
  if (options.max_f1) return DecisionRule{Kind::kMaxF1};
  if (options.max_fpr) return DecisionRule{Kind::kMaxFpr, *options.max_fpr};
  if (options.min_recall) return DecisionRule{Kind::kMinRecall, *options.min_recall};
  if (options.cost.empty()) return std::nullopt;
  const std::string_view text = options.cost;
  const std::size_t colon = std::min(text.find(':'), text.size());
  const double fp = Cost(text.substr(0, colon));
  const double fn = Cost(text.substr(std::min(colon + 1, text.size())));
  if (!(fp > 0 && fn > 0 && std::isfinite(fp) && std::isfinite(fn)))
    throw UsageError(
        fmt::format("--cost '{}' is not FP:FN (two numbers above 0, as in 1:5)", options.cost));
  return DecisionRule{Kind::kCost, fp, fn};
}

}  // namespace skinmask::cli
