#include "skinmask/learn/slopes.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "skinmask/base/logistic.h"

namespace skinmask {
namespace {

struct Derivatives {
  double first = 0, second = 0;  // of the log-likelihood by the slope
};

Derivatives At(std::span<const ScoreStep> side, double own, double slope) {
  Derivatives sum;
  for (const ScoreStep& step : side) {
    const double z = step.score - own, p = Logistic(own + slope * z);
    const auto positive = static_cast<double>(step.positive);
    const double all = positive + static_cast<double>(step.negative);
    sum.first += z * (positive - all * p);
    sum.second -= all * z * z * p * (1 - p);
  }
  return sum;
}

// Newton's steps within a bracket: the first derivative falls all the way.
std::optional<double> SlopeOf(std::span<const ScoreStep> side, double own) {
  const auto has = [&](auto count) {
    return std::ranges::any_of(side, [&](const ScoreStep& s) { return s.*count > 0; });
  };
  if (!has(&ScoreStep::positive) || !has(&ScoreStep::negative)) return std::nullopt;
  double low = 1 / Slopes::kMax, high = Slopes::kMax;
  if (At(side, own, low).first < 0 || At(side, own, high).first > 0) return std::nullopt;
  double slope = 1;
  for (int i = 0; i < 100; ++i) {
    const Derivatives d = At(side, own, slope);
    (d.first > 0 ? low : high) = slope;
    double next = slope - d.first / d.second;
    if (!(next > low && next < high)) next = std::sqrt(low * high);
    const bool ends = std::abs(next - slope) <= 1e-9 * slope;
    slope = next;
    if (ends) break;
  }
  return slope;
}

}  // namespace

std::optional<Slopes> FitSlopes(const Scores& scores, double own) {
  const auto middle = std::ranges::partition_point(
      scores.steps, [&](const ScoreStep& step) { return step.score < own; });
  const auto below = SlopeOf({scores.steps.begin(), middle}, own);
  const auto above = SlopeOf({middle, scores.steps.end()}, own);
  if (!below || !above) return std::nullopt;
  return Slopes{*below, *above};
}

}  // namespace skinmask
