// Rules that choose the threshold, and with it the operating point, on scored data (docs/math.md,
// 'Operating points').
#pragma once

#include <optional>
#include <string>

#include "skinmask/learn/evaluation.h"

namespace [[gnu::visibility("default")]] skinmask {

struct DecisionRule {
  enum class Kind {
    kFixed,      // the threshold is `value`
    kMaxF1,      // the largest F1
    kMaxFpr,     // the largest recall with a false positive rate of at most `value`
    kMinRecall,  // the smallest false positive rate with a recall of at least `value`
    kCost,       // the least fp * value + fn * fn_cost
  };
  Kind kind = Kind::kFixed;
  double value = 0.5;
  double fn_cost = 1;
};

// As models store it: "fixed", "max-f1", "max-fpr 0.05", "min-recall 0.9", "cost 1:5".
std::string RuleName(const DecisionRule& rule);

struct OperatingPoint {
  double log_odds;  // positive above it; infinite if nothing is positive
  Confusion counts;
};

// The best threshold between steps under the rule; calling nothing positive is allowed, too. Among
// equals the other rate decides (the larger recall, the smaller false positive rate), then the
// lower threshold. Absent for kFixed, without positive pixels, and, except for kMaxF1, without
// negative ones. Thresholds above log-odds of 36 are left out, because probabilities there are next
// to 1. Cost: one pass.
std::optional<OperatingPoint> Choose(const Scores& scores, const DecisionRule& rule);

// The same as a threshold on P(positive | pixel), with the rule and the data to be stored in the
// model. Throws Error if Choose has no answer.
Decision Decide(const Scores& scores, const DecisionRule& rule, const std::string& data);

}  // namespace skinmask
