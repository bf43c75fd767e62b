#include "skinmask/learn/selective.h"

#include <algorithm>
#include <cmath>

namespace skinmask {
namespace {

double CountOf(const ScoreStep& step) {
  return static_cast<double>(step.positive) + static_cast<double>(step.negative);
}

}  // namespace

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
  const auto margin = [&](const ScoreStep* step) { return std::abs(step->score - threshold); };
  std::ranges::stable_sort(steps, std::greater(), margin);
  SelectiveCurve curve;
  double last_risk = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const ScoreStep& step = *steps[i];
    const double before = answered / all;
    answered += CountOf(step);
    wrong += static_cast<double>(step.score > threshold ? step.negative : step.positive);
    const double coverage = answered / all, risk = wrong / answered;
    // Within a step pixels are answered at the risk that they end with.
    curve.area += (coverage - before) * (i == 0 ? risk : (last_risk + risk) / 2);
    last_risk = risk;
    const double spacing = 1 / static_cast<double>(std::max<std::size_t>(count, 2) - 1);
    const bool far = curve.points.empty() || coverage - curve.points.back().coverage >= spacing;
    if (far || i + 1 == steps.size()) curve.points.push_back({coverage, risk});
  }
  return curve;
}

}  // namespace skinmask
