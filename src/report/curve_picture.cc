// Error rates against the threshold, and the ROC curve, as a picture.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "report/canvas.h"
#include "report/chart.h"
#include "report/model_plot.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/report/curves.h"

namespace skinmask {
namespace {

constexpr double kPlotSide = 400, kEdge = 16, kHead = 12;
constexpr std::size_t kPoints = 500;

// A model's curves, with what they are drawn by.
struct DrawnCurve {
  const ScoredModel& model;
  Curve curve;
  bool dashed;
};

double Rate(std::uint64_t part, std::uint64_t other) {
  return part + other > 0 ? static_cast<double>(part) / static_cast<double>(part + other) : 0;
}

double FalsePositives(const Confusion& c) { return Rate(c.fp, c.tn); }
double FalseNegatives(const Confusion& c) { return Rate(c.fn, c.tp); }
double Errors(const Confusion& c) { return Rate(c.fp + c.fn, c.tp + c.tn); }

struct ErrorKind {
  const char* name;
  double (*of)(const Confusion&);
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
      Polyline line;
      for (const CurvePoint& point : drawn.curve.points)
        line.push_back({Logistic(point.log_odds), kind.of(point.counts)});
      chart.Line(line, {kind.ink, 1.8, drawn.dashed});
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
    Polyline line;
    for (const CurvePoint& point : drawn.curve.points)
      line.push_back({FalsePositives(point.counts), 1 - FalseNegatives(point.counts)});
    chart.Line(line, {InkOf(0), 1.8, drawn.dashed});
    const Confusion& c = drawn.model.operating_point.counts;
    const Spot at = chart.At(FalsePositives(c), 1 - FalseNegatives(c));
    const Spot mark[] = {{at.x - 5, at.y}, {at.x, at.y - 5}, {at.x + 5, at.y}, {at.x, at.y + 5}};
    canvas.Fill(mark, kDark);
  }
  chart.DrawAxes("ROC: recall against false positives");
}

Legend LegendOf(const std::vector<DrawnCurve>& curves) {
  Legend legend;
  for (const ErrorKind& kind : ErrorKinds())
    legend.Add({kind.name, Legend::Mark::kLine, {kind.ink, 1.8}, {}});
  for (const DrawnCurve& drawn : curves) {
    const auto auc = drawn.model.scores.Auc();
    legend.Add({fmt::format("{}: AUC {}, errors {:.4f} at P > {:.3g} (upright line, mark)",
                            drawn.model.name, auc ? fmt::format("{:.4f}", *auc) : "-",
                            Errors(drawn.model.operating_point.counts),
                            Logistic(drawn.model.operating_point.log_odds)),
                Legend::Mark::kLine,
                {InkOf(0), 1.8, drawn.dashed},
                {}});
  }
  return legend;
}

}  // namespace

std::string DrawCurves(std::span<const ScoredModel> models, const std::string& positive,
                       PictureFormat format) {
  std::vector<DrawnCurve> curves;
  for (const ScoredModel& model : models)
    curves.push_back(
        {model, ThinnedCurve(model.scores, model.operating_point, kPoints), !curves.empty()});
  const std::unique_ptr<Canvas> canvas = NewCanvas();
  const Box left{kEdge + Chart::kLeft, kHead + Chart::kAbove, kPlotSide, kPlotSide};
  const Box right{left.right() + Chart::kRight + Chart::kLeft, left.top, kPlotSide, kPlotSide};
  DrawErrors(*canvas, curves, positive, left);
  DrawRoc(*canvas, curves, right);
  const Legend legend = LegendOf(curves);
  const double width = std::max(right.right() - kEdge, legend.WidestEntry(*canvas));
  const double top = left.bottom() + Chart::kBelow + 8;
  const double height = legend.Draw(*canvas, {kEdge, top}, width);
  std::string problem;
  std::string file =
      canvas->File({std::ceil(width + 2 * kEdge + Chart::kRight), std::ceil(top + height + kEdge)},
                   format == PictureFormat::kSvg, problem);
  if (!problem.empty()) throw Error("picture", "cannot be drawn: " + problem);
  return file;
}

}  // namespace skinmask
