#include "skinmask/report/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "media/late_module.h"
#include "report/canvas.h"
#include "report/chart.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/detect/draw.h"
#include "skinmask/report/planes.h"

namespace skinmask {
namespace {

constexpr double kSide = 400, kStripWidth = 620, kMargin = 16, kTitleHeight = 34;
constexpr double kTintOpacity = 0.25;
constexpr std::size_t kMaxNamed = 24;  // classes in the legend
constexpr Font kTitleFont{15, true};
const Pen kThreshold{kDark, 2.6}, kBorder{kFaint, 1, true};

// A class's colour by ClassPalette.
Ink InkOf(std::size_t of_class, double opacity = 1) {
  const std::string rgb = ClassPalette(of_class + 1);
  const auto part = [&](std::size_t i) {
    return static_cast<std::uint8_t>(rgb[3 * of_class + i]) / 255.;
  };
  return {part(0), part(1), part(2), opacity};
}

// What a picture is of, computed once.
struct Subject {
  const Model& model;
  std::vector<Axis> axes;
  std::vector<Plane> planes;
  double level;  // log-odds of the threshold

  const Axis& AxisOf(int feature) const { return axes[static_cast<std::size_t>(feature)]; }
};

// With many classes a coarser grid, as it holds a number for each.
int GridSize(const Model& model) { return model.classes.size() > 16 ? 97 : 385; }

// Each point's class as its tint; transparent where no colour lies.
Raster Tints(const Plane& plane) {
  Raster raster{plane.size, plane.rows(), {}};
  for (int row = plane.rows() - 1; row >= 0; --row)
    for (int column = 0; column < plane.size; ++column) {
      const int k = plane.ClassAt(static_cast<std::size_t>(row * plane.size + column));
      const Ink ink = k == Plane::kNoColour ? Ink{0, 0, 0, 0}
                                            : InkOf(static_cast<std::size_t>(k), kTintOpacity);
      const auto byte = [](double share) { return static_cast<std::uint32_t>(255 * share + 0.5); };
      raster.argb.push_back(byte(ink.opacity) << 24 | byte(ink.red * ink.opacity) << 16 |
                            byte(ink.green * ink.opacity) << 8 | byte(ink.blue * ink.opacity));
    }
  return raster;
}

// The ellipse of so many standard deviations; rows of the Cholesky factor carry the unit circle to
// it.
Polyline Ellipse(const Gaussian& c, int x, int y, int deviations) {
  const double sx = std::sqrt(c.covariance(x, x)), slope = c.covariance(x, y) / sx;
  const double rest = std::sqrt(std::max(0., c.covariance(y, y) - slope * slope));
  constexpr int kCorners = 90;
  Polyline ring;
  for (int i = 0; i <= kCorners; ++i) {
    const double angle = 2 * std::numbers::pi * i / kCorners, u = deviations * std::cos(angle),
                 v = deviations * std::sin(angle);
    ring.push_back({c.mean(x) + sx * u, c.mean(y) + slope * u + rest * v});
  }
  return ring;
}

// Each class's mean with two ellipses.
void DrawGaussians(Canvas& canvas, const Chart& chart, const Model& model, const Plane& plane) {
  for (std::size_t k = 0; k < model.classes.size(); ++k)
    for (const Gaussian& gaussian : model.classes[k].gaussians()) {
      for (const int deviations : {1, 2})
        chart.Line(Ellipse(gaussian, plane.x, *plane.y, deviations),
                   {InkOf(k), 1.9 - deviations / 2.});
      const Spot at = chart.At(gaussian.mean(plane.x), gaussian.mean(*plane.y));
      const Spot mean[] = {{at.x - 3, at.y}, {at.x, at.y - 3}, {at.x + 3, at.y}, {at.x, at.y + 3}};
      canvas.Fill(mean, InkOf(k));
    }
}

void DrawBorders(const Chart& chart, const Subject& subject, const Plane& plane) {
  for (const Border& border : BordersOf(plane, subject.axes))
    for (const Polyline& line : border.lines) chart.Line(line, kBorder);
  for (const Polyline& line : BoundaryOf(plane, subject.axes, subject.level))
    chart.Line(line, kThreshold);
}

void DrawPlane(Canvas& canvas, const Subject& subject, const Plane& plane, const Box& plot) {
  const Axis &x = subject.AxisOf(plane.x), &y = subject.AxisOf(*plane.y);
  const Chart chart(canvas, plot, x, y);
  canvas.Enclose(plot);
  canvas.Spread(Tints(plane), plot);
  DrawBorders(chart, subject, plane);
  DrawGaussians(canvas, chart, subject.model, plane);
  canvas.Release();
  std::string above = fmt::format("{} and {}", x.name, y.name);
  if (plane.held)
    above += fmt::format(", where {} = {:.1f}{}", subject.AxisOf(plane.held->first).name,
                         plane.held->second,
                         subject.model.positive().gaussians().empty()
                             ? ""
                             : fmt::format(", {}'s mean", subject.model.positive().name));
  chart.DrawAxes(above);
}

// P(class) at each point, for models without densities.
std::vector<double> PosteriorsOf(const Plane& plane) {
  std::vector<double> posteriors;
  for (const double z : plane.log_odds)
    for (const double p : {Logistic(z), Logistic(-z)}) posteriors.push_back(p);
  return posteriors;
}

void DrawChannel(Canvas& canvas, const Subject& subject, const Plane& plane, const Box& plot) {
  const Axis& x = subject.AxisOf(plane.x);
  std::vector<double> heights = DensitiesOf(subject.model, plane);
  const bool densities = !heights.empty();
  if (!densities) heights = PosteriorsOf(plane);
  Axis y{densities ? "prior × density" : "P(class)", "", 0, 1};
  if (densities) y.high = 1.05 * *std::max_element(heights.begin(), heights.end());
  const Chart chart(canvas, plot, x, y);
  canvas.Enclose(plot);
  canvas.Spread(Tints(plane), plot);
  // Borders go from 0 to 1.
  DrawBorders(Chart(canvas, plot, x, {"", "", 0, 1}), subject, plane);
  for (std::size_t k = 0; k < plane.class_count; ++k) {
    Polyline curve;
    for (int i = 0; i < plane.size; ++i)
      curve.push_back({x.low + (x.high - x.low) * i / (plane.size - 1),
                       heights[static_cast<std::size_t>(i) * plane.class_count + k]});
    std::erase_if(curve, [](const auto& point) { return std::isnan(point[1]); });
    chart.Line(curve, {InkOf(k), 2});
  }
  canvas.Release();
  chart.DrawAxes(densities ? "Each class's density, times its prior" : "Each class's posterior");
}

Legend LegendOf(const Subject& subject) {
  const Model& model = subject.model;
  Legend legend;
  const std::size_t named = std::min(kMaxNamed, model.classes.size());
  for (std::size_t k = 0; k < named; ++k)
    legend.Add(
        {model.classes[k].name, Legend::Mark::kArea, {InkOf(k), 1.5}, InkOf(k, kTintOpacity)});
  if (named < model.classes.size())
    legend.Add({fmt::format("and {} classes more", model.classes.size() - named),
                Legend::Mark::kArea,
                {kRule, 1.5},
                {1, 1, 1, 1}});
  legend.Add({"two classes are as likely", Legend::Mark::kLine, kBorder, {}});
  if (std::isfinite(subject.level))
    legend.Add({fmt::format("P({}) = {:.3g}, the threshold", model.positive().name,
                            model.decision.threshold),
                Legend::Mark::kLine,
                kThreshold,
                {}});
  if (subject.planes[0].y && !model.positive().gaussians().empty())
    legend.Add(
        {"ellipses: one and two standard deviations", Legend::Mark::kLine, {kFaint, 1.2}, {}});
  return legend;
}

}  // namespace

std::unique_ptr<Canvas> NewCanvas() {
  static const auto make = reinterpret_cast<decltype(&skinmask_new_canvas)>(
      FindInModule("skinmask-cairo.so", "skinmask_new_canvas"));
  std::unique_ptr<Canvas> canvas;
  make(canvas);
  return canvas;
}

std::string DrawModel(const Model& model, PictureFormat format) {
  const Subject subject{model, AxesOf(model), PlanesOf(model, GridSize(model)),
                        Logit(model.decision.threshold)};
  const std::unique_ptr<Canvas> canvas = NewCanvas();
  const std::string title =
      fmt::format("Likeliest class by {} in {} ({})", KindName(model.kind),
                  model.features.space().name, fmt::join(model.features.channel_names(), ", "));
  canvas->Write({title, {kMargin, kMargin + 15}, kTitleFont}, kDark);
  double x = kMargin;
  for (const Plane& plane : subject.planes) {
    const Box plot{x + Chart::kLeft, kMargin + kTitleHeight + Chart::kAbove,
                   plane.y ? kSide : kStripWidth, kSide};
    (plane.y ? DrawPlane : DrawChannel)(*canvas, subject, plane, plot);
    x = plot.right() + Chart::kRight;
  }
  const Legend legend = LegendOf(subject);
  const double top = kMargin + kTitleHeight + Chart::kAbove + kSide + Chart::kBelow + 8;
  const double width =
      std::max({x - kMargin, canvas->WidthOf(title, kTitleFont), legend.WidestEntry(*canvas)});
  const double height = legend.Draw(*canvas, {kMargin, top}, width);
  std::string problem;
  std::string file =
      canvas->File({std::ceil(width + 2 * kMargin), std::ceil(top + height + kMargin)},
                   format == PictureFormat::kSvg, problem);
  if (!problem.empty()) throw Error("picture", "cannot be drawn: " + problem);
  return file;
}

}  // namespace skinmask
