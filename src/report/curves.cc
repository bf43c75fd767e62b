#include "skinmask/report/curves.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "skinmask/base/logistic.h"

namespace skinmask {
namespace {

// Calls visit(point, is_operating_point) for every step in descending order, the operating point
// where its log-odds belong.
template <class Visit>
void ForEachPoint(const Scores& scores, const CurvePoint& operating_point, const Visit& visit) {
  CurvePoint point{std::numeric_limits<double>::infinity(),
                   {0, 0, scores.Total(true), scores.Total(false)}};
  visit(point, false);
  bool passed = false;
  for (auto step = scores.steps.rbegin(); step != scores.steps.rend(); ++step) {
    if (!passed && step->threshold < operating_point.log_odds) {
      visit(operating_point, true);
      passed = true;
    }
    point.log_odds = step->threshold;
    point.counts.tp += step->positive;
    point.counts.fn -= step->positive;
    point.counts.fp += step->negative;
    point.counts.tn -= step->negative;
    visit(point, false);
  }
  if (!passed) visit(operating_point, true);
}

// Where a point stands in each of the curves.
std::array<double, 4> CoordinatesOf(const CurvePoint& point) {
  const Confusion& c = point.counts;
  return {c.Recall().value_or(0), 1 - c.Specificity().value_or(1), c.Precision().value_or(1),
          Logistic(point.log_odds)};
}

double Distance(const std::array<double, 4>& a, const std::array<double, 4>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum;
}

// The score below which a share of a class's pixels lies.
double ScoreQuantile(const Scores& scores, bool truth, double share) {
  const double wanted = share * static_cast<double>(scores.Total(truth));
  double below = 0;
  for (const ScoreStep& step : scores.steps) {
    below += static_cast<double>(truth ? step.positive : step.negative);
    if (below >= wanted && below > 0) return step.score;
  }
  return 0;
}

}  // namespace

Curve ThinnedCurve(const Scores& scores, const CurvePoint& operating_point, std::size_t count) {
  double length = 0;
  std::array<double, 4> last{0, 0, 1, 1};
  ForEachPoint(scores, operating_point, [&](const CurvePoint& point, bool) {
    const std::array<double, 4> here = CoordinatesOf(point);
    length += Distance(last, here);
    last = here;
  });
  Curve curve;
  // The ends and the operating point come on top of the evenly spaced ones.
  const double spacing = length / static_cast<double>(std::max<std::size_t>(count, 4) - 3);
  last = {0, 0, 1, 1};
  double since = 0;
  std::optional<CurvePoint> skipped;
  ForEachPoint(scores, operating_point, [&](const CurvePoint& point, bool operating) {
    const std::array<double, 4> here = CoordinatesOf(point);
    since += Distance(last, here);
    last = here;
    skipped = point;
    if (!operating && !curve.points.empty() && since < spacing) return;
    if (operating)
      curve.operating_point = curve.points.size();
    else
      since = std::fmod(since, std::max(spacing, std::numeric_limits<double>::min()));
    curve.points.push_back(point);
    skipped.reset();
  });
  if (skipped) curve.points.push_back(*skipped);
  return curve;
}

LogOddsHistogram LogOddsHistogramOf(const Scores& scores, int bin_count) {
  constexpr double kTail = 0.025;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const bool truth : {true, false}) {
    if (scores.Total(truth) == 0) continue;
    low = std::min(low, ScoreQuantile(scores, truth, kTail));
    high = std::max(high, ScoreQuantile(scores, truth, 1 - kTail));
  }
  LogOddsHistogram histogram;
  if (!(low <= high)) return histogram;
  low = std::floor(low);
  high = std::max(std::ceil(high), low + 1);
  const auto bins = static_cast<std::size_t>(bin_count);
  histogram = {low, (high - low) / bin_count, std::vector<std::uint64_t>(bins),
               std::vector<std::uint64_t>(bins)};
  for (const ScoreStep& step : scores.steps) {
    const double position = (step.score - low) / histogram.width;
    const auto bin = static_cast<std::size_t>(std::clamp(position, 0., bin_count - 1.));
    histogram.positive[bin] += step.positive;
    histogram.negative[bin] += step.negative;
  }
  return histogram;
}

}  // namespace skinmask
