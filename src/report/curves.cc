#include "skinmask/report/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/chart.h"
#include "report/model_plot.h"
#include "skinmask/base/logistic.h"

namespace skinmask {
namespace {

// Calls visit(point, lowest score that is positive there, is_operating_point) for every step in
// descending order, with the operating point at its place.
template <class Visit>
void ForEachPoint(const Scores& scores, const OperatingPoint& operating_point, const Visit& visit) {
  OperatingPoint point{std::numeric_limits<double>::infinity(),
                       {0, 0, scores.Total(true), scores.Total(false)}};
  visit(point, point.log_odds, false);
  bool passed = false;
  for (auto step = scores.steps.rbegin(); step != scores.steps.rend(); ++step) {
    if (!passed && step->threshold < operating_point.log_odds) {
      // It has the counts of this step or, above its score, of the one before.
      visit(operating_point, std::max(operating_point.log_odds, step->score), true);
      passed = true;
    }
    point.log_odds = step->threshold;
    point.counts.tp += step->positive;
    point.counts.fn -= step->positive;
    point.counts.fp += step->negative;
    point.counts.tn -= step->negative;
    visit(point, step->score, false);
  }
  if (!passed) visit(operating_point, operating_point.log_odds, true);
}

// The coordinates of a point in all curves.
std::array<double, 4> CoordinatesOf(const OperatingPoint& point) {
  const Confusion& c = point.counts;
  return {c.Recall().value_or(0), 1 - c.Specificity().value_or(1), c.Precision().value_or(1),
          Logistic(point.log_odds)};
}

double Distance(const std::array<double, 4>& a, const std::array<double, 4>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum;
}

// The quantile of the scores of one class's pixels.
double ScoreQuantile(const Scores& scores, bool truth, double share) {
  const double wanted = share * static_cast<double>(scores.Total(truth));
  double below = 0;
  for (const ScoreStep& step : scores.steps) {
    below += static_cast<double>(truth ? step.positive : step.negative);
    if (below >= wanted && below > 0) return step.score;
  }
  return 0;
}

constexpr double kPlotSide = 400, kEdge = 16, kHead = 12;
constexpr std::size_t kPicturePoints = 500;

struct DrawnCurve {
  const ScoredModel& model;
  Curve curve;
  bool dashed;
};

// 0/0 is undefined.
std::optional<double> Rate(std::uint64_t part, std::uint64_t other) {
  if (part + other == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(part + other);
}

std::optional<double> FalsePositives(const Confusion& c) { return Rate(c.fp, c.tn); }
std::optional<double> FalseNegatives(const Confusion& c) { return Rate(c.fn, c.tp); }
std::optional<double> Errors(const Confusion& c) { return Rate(c.fp + c.fn, c.tp + c.tn); }

struct ErrorKind {
  const char* name;
  std::optional<double> (*of)(const Confusion&);
  Ink ink;
};

std::vector<ErrorKind> ErrorKinds() {
  return {{"false negatives, of all positive pixels", FalseNegatives, InkOf(0)},
          {"false positives, of all others", FalsePositives, InkOf(1)},
          {"errors, of all pixels", Errors, InkOf(2)}};
}

void DrawErrors(Canvas& canvas, const std::vector<DrawnCurve>& curves, const std::string& positive,
                const Box& plot) {
  const Chart chart(canvas, plot, {fmt::format("threshold on P({})", positive), "", 0, 1},
                    {"rate", "", 0, 1});
  for (const DrawnCurve& drawn : curves) {
    for (const ErrorKind& kind : ErrorKinds()) {
      const Polyline line = StairsOf(drawn.curve, kind.of);
      if (!line.empty()) chart.Line(line, {kind.ink, 1.8, drawn.dashed});
    }
    const double at = Logistic(drawn.model.operating_point.log_odds);
    chart.Line({{at, 0}, {at, 1}}, {kFaint, 1, drawn.dashed});
  }
  chart.DrawAxes("Error rates against the threshold");
}

void DrawRoc(Canvas& canvas, const std::vector<DrawnCurve>& curves, const Box& plot) {
  const Chart chart(canvas, plot, {"false-positive rate", "", 0, 1}, {"recall", "", 0, 1});
  chart.Line({{0, 0}, {1, 1}}, {kRule, 1, true});
  for (const DrawnCurve& drawn : curves) {
    const Confusion& c = drawn.model.operating_point.counts;
    if (!FalsePositives(c) || !FalseNegatives(c)) continue;  // of pixels of one class only
    Polyline line;
    for (const OperatingPoint& point : drawn.curve.points)
      line.push_back({*FalsePositives(point.counts), 1 - *FalseNegatives(point.counts)});
    chart.Line(line, {InkOf(0), 1.8, drawn.dashed});
    DrawDiamond(canvas, chart.At(*FalsePositives(c), 1 - *FalseNegatives(c)), 5, kDark);
  }
  chart.DrawAxes("ROC: recall against false positives");
}

Legend LegendOf(const std::vector<DrawnCurve>& curves) {
  Legend legend;
  for (const ErrorKind& kind : ErrorKinds()) legend.push_back({kind.name, Pen{kind.ink, 1.8}});
  for (const DrawnCurve& drawn : curves) {
    const auto auc = drawn.model.scores.Auc();
    legend.push_back({fmt::format("{}: AUC {}, errors {:.4f} at P > {:.3g} (upright line, mark)",
                                  drawn.model.name, auc ? fmt::format("{:.4f}", *auc) : "-",
                                  Errors(drawn.model.operating_point.counts).value_or(0),
                                  Logistic(drawn.model.operating_point.log_odds)),
                      Pen{InkOf(0), 1.8, drawn.dashed}});
  }
  return legend;
}

}  // namespace

Curve ThinnedCurve(const Scores& scores, const OperatingPoint& operating_point, std::size_t count) {
  double length = 0;
  std::array<double, 4> last{0, 0, 1, 1};
  ForEachPoint(scores, operating_point, [&](const OperatingPoint& point, double, bool) {
    const std::array<double, 4> here = CoordinatesOf(point);
    length += Distance(last, here);
    last = here;
  });
  Curve curve;
  const auto add = [&](const OperatingPoint& point, double score) {
    curve.points.push_back(point);
    curve.scores.push_back(score);
  };
  // The ends and the operating point are added to the evenly spaced points.
  const bool is_short = scores.steps.size() + 2 <= count;
  const double spacing = length / static_cast<double>(std::max<std::size_t>(count, 4) - 3);
  last = {0, 0, 1, 1};
  double since = 0;
  std::optional<std::pair<OperatingPoint, double>> skipped;
  ForEachPoint(scores, operating_point,
               [&](const OperatingPoint& point, double score, bool operating) {
                 const std::array<double, 4> here = CoordinatesOf(point);
                 since += Distance(last, here);
                 last = here;
                 skipped.emplace(point, score);
                 const bool is_kept = operating || is_short || curve.points.empty();
                 if (!is_kept && since < spacing) return;
                 if (operating)
                   curve.operating_point = curve.points.size();
                 else
                   since = std::fmod(since, std::max(spacing, std::numeric_limits<double>::min()));
                 add(point, score);
                 skipped.reset();
               });
  if (skipped) add(skipped->first, skipped->second);
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

std::string DrawCurves(std::span<const ScoredModel> models, const std::string& positive,
                       PictureFormat format) {
  std::vector<DrawnCurve> curves;
  for (const ScoredModel& model : models)
    curves.push_back({model, ThinnedCurve(model.scores, model.operating_point, kPicturePoints),
                      !curves.empty()});
  const std::unique_ptr<Canvas> canvas = NewCanvas();
  const Box left{kEdge + Chart::kLeft, kHead + Chart::kAbove, kPlotSide, kPlotSide};
  const Box right{left.right() + Chart::kRight + Chart::kLeft, left.top, kPlotSide, kPlotSide};
  DrawErrors(*canvas, curves, positive, left);
  DrawRoc(*canvas, curves, right);
  const Legend legend = LegendOf(curves);
  const double width = std::max(right.right() - kEdge, WidestEntry(legend, *canvas));
  const double top = left.bottom() + Chart::kBelow + 8;
  const double height = DrawLegend(legend, *canvas, {kEdge, top}, width);
  return FileOf(*canvas, width + 2 * kEdge + Chart::kRight, top + height + kEdge, format);
}

}  // namespace skinmask
