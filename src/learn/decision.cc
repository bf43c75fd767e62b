#include "skinmask/learn/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/learn/selective.h"

namespace skinmask {
namespace {

// log(2^52). Doubles just below 1 are 2^-53 apart, so near P = 1 they distinguish log-odds z by
// steps of 2^-53 e^z, which is half a unit here. Above, a threshold on the probability would not
// separate the same pixels as the threshold on log-odds.
constexpr double kLargestThreshold = 36.04;
// Below this, a probability is not a normal number. A threshold of 0 calls every pixel positive.
constexpr double kLeastThreshold = -708;

// What is to be maximised: first the first number, then the second, then the third.
using Merit = std::array<double, 3>;

// Counts instead of ratios, so that equals are exactly equal. Minus infinity if the rule is
// violated.
Merit MeritOf(const Confusion& c, const DecisionRule& rule) {
  constexpr double kBroken = -std::numeric_limits<double>::infinity();
  const auto tp = static_cast<double>(c.tp), fp = static_cast<double>(c.fp);
  const auto fn = static_cast<double>(c.fn), tn = static_cast<double>(c.tn);
  using enum DecisionRule::Kind;
  if (rule.kind == kMaxF1) return {*c.F1()};
  if (rule.kind == kMaxFpr) return {fp / (fp + tn) <= rule.value ? tp : kBroken, -fp};
  if (rule.kind == kMinRecall) return {tp / (tp + fn) >= rule.value ? -fp : kBroken, tp};
  if (rule.kind == kCost) {
    // Products of great costs would be infinite. Dividing both costs by a power of two changes no
    // comparison, unless the smaller cost is lost beside the greater one: then -fp decides, because
    // fn, and so tp, must be the same.
    const int exponent = std::ilogb(std::max(rule.value, rule.fn_cost));
    return {-(fp * std::ldexp(rule.value, -exponent) + fn * std::ldexp(rule.fn_cost, -exponent)),
            tp, -fp};
  }
  return {kBroken};
}

double CountOf(const ScoreStep& step) {
  return static_cast<double>(step.positive) + static_cast<double>(step.negative);
}

}  // namespace

std::string RuleName(const DecisionRule& rule) {
  using enum DecisionRule::Kind;
  if (rule.kind == kMaxF1) return "max-f1";
  if (rule.kind == kMaxFpr) return fmt::format("max-fpr {}", rule.value);
  if (rule.kind == kMinRecall) return fmt::format("min-recall {}", rule.value);
  return rule.kind == kCost ? fmt::format("cost {}:{}", rule.value, rule.fn_cost) : "fixed";
}

std::optional<OperatingPoint> Choose(const Scores& scores, const DecisionRule& rule) {
  Confusion counts{0, 0, scores.Total(true), scores.Total(false)};
  if (rule.kind == DecisionRule::Kind::kFixed || counts.fn == 0) return std::nullopt;
  if (rule.kind != DecisionRule::Kind::kMaxF1 && counts.tn == 0) return std::nullopt;
  OperatingPoint best{std::numeric_limits<double>::infinity(), counts};
  Merit best_merit = MeritOf(counts, rule);
  for (auto step = scores.steps.rbegin(); step != scores.steps.rend(); ++step) {
    counts.tp += step->positive;
    counts.fn -= step->positive;
    counts.fp += step->negative;
    counts.tn -= step->negative;
    const bool is_last = std::next(step) == scores.steps.rend();
    const bool is_told = step->threshold <= kLargestThreshold && step->threshold >= kLeastThreshold;
    if (!is_told && !is_last) continue;
    const Merit merit = MeritOf(counts, rule);
    if (!(merit >= best_merit)) continue;
    best_merit = merit;
    best = {is_told ? step->threshold : -std::numeric_limits<double>::infinity(), counts};
  }
  return best;
}

Decision Decide(const Scores& scores, const DecisionRule& rule, const std::string& data) {
  if (const auto point = Choose(scores, rule))
    return {Logistic(point->log_odds), RuleName(rule), data};
  std::string option = "`" + RuleName(rule);
  option.insert(std::min(option.find(' '), option.size()), "`");
  throw Error(option, fmt::format("no pixel {} the positive class in {} (both are needed)",
                                  scores.Total(true) == 0 ? "of" : "outside", data));
}

std::optional<SelectivePoint> Abstaining(const Scores& scores, double low, double high) {
  double all = 0, answered = 0, wrong = 0;
  for (const ScoreStep& step : scores.steps) {
    all += CountOf(step);
    if (step.score > low && step.score <= high) continue;
    answered += CountOf(step);
    wrong += static_cast<double>(step.score > high ? step.negative : step.positive);
  }
  if (all == 0) return std::nullopt;
  if (answered == 0) return SelectivePoint{};
  return SelectivePoint{answered / all, wrong / answered};
}

SelectiveCurve SelectiveCurveOf(const Scores& scores, double threshold, std::size_t count) {
  double all = 0, answered = 0, wrong = 0;
  std::vector<const ScoreStep*> steps;
  for (const ScoreStep& step : scores.steps) {
    steps.push_back(&step);
    all += CountOf(step);
  }
  // With an infinite threshold, the score that is farthest from it is the most certain.
  const auto margin = [&](const ScoreStep* step) {
    if (std::isinf(threshold)) return threshold < 0 ? step->score : -step->score;
    return std::abs(step->score - threshold);
  };
  std::ranges::stable_sort(steps, std::greater(), margin);
  SelectiveCurve curve;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const ScoreStep& step = *steps[i];
    const double n = CountOf(step);
    const auto its_wrong =
        static_cast<double>(step.score > threshold ? step.negative : step.positive);
    // Pixels of one score are answered in any order: after t of them the risk is (wrong + t
    // its_wrong / n) / (answered + t). This is its integral over t.
    curve.area += its_wrong / all;
    if (answered > 0)
      curve.area += (wrong - answered * its_wrong / n) * std::log1p(n / answered) / all;
    answered += n;
    wrong += its_wrong;
    const double coverage = answered / all, risk = wrong / answered;
    const double spacing = 1 / static_cast<double>(std::max<std::size_t>(count, 2) - 1);
    const bool far = curve.points.empty() || coverage - curve.points.back().coverage >= spacing;
    if (far || i + 1 == steps.size()) curve.points.push_back({coverage, risk});
  }
  curve.area = std::min(curve.area, 1.);  // a mean of risks, but for rounding
  return curve;
}

}  // namespace skinmask
