#include "report/model_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>

#include "data/carriers.h"
#include "model/binning.h"
#include "skinmask/base/error.h"
#include "skinmask/detect/draw.h"
#include "skinmask/learn/class_counts.h"

namespace skinmask {

Ink InkOf(std::size_t of_class, double opacity) {
  const std::string rgb = ClassPalette(of_class + 1);
  const auto part = [&](std::size_t i) {
    return static_cast<std::uint8_t>(rgb[3 * of_class + i]) / 255.;
  };
  return {part(0), part(1), part(2), opacity};
}

namespace {

// The tint of each point's class; transparent where there is no colour.
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

// The ellipse that holds 95 % of a Gaussian, by the Cholesky factor that maps the unit circle to
// it.
Polyline Ellipse(const Gaussian& c, int x, int y) {
  const double radius = std::sqrt(-2 * std::log(0.05));  // of chi squared with two degrees
  const double sx = std::sqrt(c.covariance(x, x)), slope = c.covariance(x, y) / sx;
  const double rest = std::sqrt(std::max(0., c.covariance(y, y) - slope * slope));
  constexpr int kCorners = 90;
  Polyline ring;
  for (int i = 0; i <= kCorners; ++i) {
    const double angle = 2 * std::numbers::pi * i / kCorners, u = radius * std::cos(angle),
                 v = radius * std::sin(angle);
    ring.push_back({c.mean(x) + sx * u, c.mean(y) + slope * u + rest * v});
  }
  return ring;
}

void DrawGaussians(Canvas& canvas, const Chart& chart, const Model& model, const Plane& plane) {
  for (std::size_t k = 0; k < model.classes.size(); ++k)
    for (const Gaussian& gaussian : model.classes[k].gaussians()) {
      chart.Line(Ellipse(gaussian, plane.x, *plane.y), {InkOf(k), 1.6});
      const Spot at = chart.At(gaussian.mean(plane.x), gaussian.mean(*plane.y));
      DrawDiamond(canvas, at, 8, kWhite);
      DrawDiamond(canvas, at, 6.5, kDark);
      DrawDiamond(canvas, at, 4.5, InkOf(k));
    }
}

void DrawPoints(Canvas& canvas, const Chart& chart, const std::vector<SamplePoint>& points,
                const Plane& plane) {
  const double reach = points.size() > 100 ? 1.5 : 3;
  for (const SamplePoint& point : points)
    DrawDiamond(canvas,
                chart.At(point.features[static_cast<std::size_t>(plane.x)],
                         point.features[static_cast<std::size_t>(*plane.y)]),
                reach, InkOf(point.of_class, 0.7));
}

void DrawBorders(const Chart& chart, const Subject& subject, const Plane& plane) {
  for (const Border& border : BordersOf(plane, subject.axes))
    for (const Polyline& line : border.lines) chart.Line(line, kBorder);
  for (const Polyline& line : BoundaryOf(plane, subject.axes, subject.level))
    chart.Line(line, kThreshold);
}

// P(class) at each point, for models without densities.
std::vector<double> PosteriorsOf(const Plane& plane) {
  std::vector<double> posteriors;
  for (std::size_t i = 0; i < plane.log_odds.size(); ++i) {
    const std::span a(&plane.discriminants[i * plane.class_count], plane.class_count);
    const double greatest = *std::ranges::max_element(a);
    double sum = 0;
    for (const double discriminant : a) sum += std::exp(discriminant - greatest);
    for (const double discriminant : a)
      posteriors.push_back(std::exp(discriminant - greatest) / sum);
  }
  return posteriors;
}

// Histograms of the one channel by class; the bins' edges lie between bytes.
struct Bars {
  double low = 0, width = 1;
  std::vector<std::vector<double>> counts;  // by class
  std::vector<double> totals;               // of each class, including pixels beyond the axis

  // A class's prior times the share of its pixels in a bin, per unit of the channel.
  double Height(const Model& model, std::size_t k, std::size_t bin) const {
    return totals[k] > 0 ? model.classes[k].prior * counts[k][bin] / totals[k] / width : 0;
  }
  double Share(std::size_t k, std::size_t bin) const {
    double all = 0;
    for (const std::vector<double>& c : counts) all += c[bin];
    return all > 0 ? counts[k][bin] / all : 0;
  }
  double Highest(const Model& model) const {
    double highest = 0;
    for (std::size_t k = 0; k < counts.size(); ++k)
      for (std::size_t bin = 0; bin < counts[k].size(); ++bin)
        highest = std::max(highest, Height(model, k, bin));
    return highest;
  }
};

Bars BarsOf(const Subject& subject) {
  constexpr double kBins = 40;
  const Axis& axis = subject.AxisOf(subject.planes[0].x);
  const double range = axis.high - axis.low;
  const bool bytes = range > 10;
  Bars bars{axis.low - (bytes ? 0.5 : 0), bytes ? std::ceil(range / kBins) : range / kBins, {}, {}};
  std::optional<Binning> own_bins;
  if (IsHistogram(subject.model.kind)) {
    own_bins.emplace(subject.model.features, subject.model.histogram.bins);
    const auto [low, high] = subject.model.features.Range();
    bars.low = low(0);
    bars.width = (high(0) - low(0)) / subject.model.histogram.bins;
  }
  const auto count = static_cast<std::size_t>(range / bars.width) + 2;
  bars.counts.assign(subject.model.classes.size(), std::vector<double>(count));
  bars.totals.assign(subject.model.classes.size(), 0);
  for (const SamplePoint& point : subject.points) {
    bars.totals[point.of_class] += point.count;
    const double at = own_bins ? static_cast<double>(own_bins->ChannelBin(point.features.data(), 0))
                               : (point.features[0] - bars.low) / bars.width;
    if (at >= 0 && at < static_cast<double>(count))
      bars.counts[point.of_class][static_cast<std::size_t>(at)] += point.count;
  }
  return bars;
}

void DrawBars(Canvas& canvas, const Chart& chart, const Subject& subject, bool densities) {
  const Bars bars = BarsOf(subject);
  for (std::size_t k = 0; k < bars.counts.size(); ++k)
    for (std::size_t bin = 0; bin < bars.counts[k].size(); ++bin) {
      if (bars.counts[k][bin] == 0) continue;
      const double height = densities ? bars.Height(subject.model, k, bin) : bars.Share(k, bin);
      const double left = bars.low + static_cast<double>(bin) * bars.width;
      const Spot corners[] = {chart.At(left, 0), chart.At(left, height),
                              chart.At(left + bars.width, height), chart.At(left + bars.width, 0)};
      canvas.Fill(corners, InkOf(k, 0.35));
      canvas.Line(corners, {InkOf(k, 0.6), 0.6});
    }
}

}  // namespace

std::vector<SamplePoint> PointsOf(const Samples& samples, const Model& model) {
  const FeatureMatrix matrix = model.features.Matrix();
  const FeatureVector offset = model.features.Offset();
  const std::vector<std::size_t> indices = IndicesInModel(samples.classes(), model);
  std::vector<SamplePoint> points;
  ForEachCarrier(samples.rows(), model.features.space(),
                 [&](std::size_t i, const std::int32_t* carrier) {
                   const SampleRow& row = samples.rows()[i];
                   SamplePoint point{indices[row.class_index], {}, static_cast<double>(row.count)};
                   if (point.of_class == model.classes.size()) return;
                   const FeatureVector f =
                       matrix * Eigen::Vector3d(carrier[0], carrier[1], carrier[2]) + offset;
                   std::ranges::copy(f, point.features.begin());
                   points.push_back(point);
                 });
  if (points.empty()) throw Error("samples", "have none of the model's classes");
  return points;
}

std::vector<SamplePoint> Thinned(const std::vector<SamplePoint>& points) {
  double all = 0, before = 0;
  for (const SamplePoint& point : points) all += point.count;
  const double step = std::max(1., all / static_cast<double>(kMaxPoints));
  std::vector<SamplePoint> taken;
  for (const SamplePoint& point : points) {
    // Takes the row if a multiple of the step lies among its pixels.
    if (std::floor((before + point.count) / step) > std::floor(before / step))
      taken.push_back(point);
    before += point.count;
  }
  return taken;
}

void DrawPlane(Canvas& canvas, const Subject& subject, const Plane& plane, const Box& plot) {
  const Axis &x = subject.AxisOf(plane.x), &y = subject.AxisOf(*plane.y);
  const Chart chart(canvas, plot, x, y);
  canvas.Enclose(plot);
  canvas.Spread(Tints(plane), plot);
  DrawPoints(canvas, chart, subject.points, plane);
  DrawBorders(chart, subject, plane);
  DrawGaussians(canvas, chart, subject.model, plane);
  canvas.Release();
  std::string above = subject.prefix + fmt::format("{} and {}", x.name, y.name);
  if (plane.held) {
    const std::string& why = subject.why_held[static_cast<std::size_t>(plane.held->first)];
    above += fmt::format(", where {} = {:.1f}{}{}", subject.AxisOf(plane.held->first).name,
                         plane.held->second, why.empty() ? "" : ", ", why);
  }
  if (!plane.held && subject.axes.size() == 3)
    above += fmt::format(", {} integrated out", subject.AxisOf(3 - plane.x - *plane.y).name);
  chart.DrawAxes(above);
}

double HighestOf(const Subject& subject) {
  const std::vector<double> heights = DensitiesOf(subject.model, subject.planes[0], subject.axes);
  if (heights.empty()) return 0;
  const double highest = *std::ranges::max_element(heights);
  return subject.points.empty() ? highest
                                : std::max(highest, BarsOf(subject).Highest(subject.model));
}

void DrawChannel(Canvas& canvas, const Subject& subject, const Plane& plane, const Box& plot,
                 double top) {
  const Axis& x = subject.AxisOf(plane.x);
  std::vector<double> heights = DensitiesOf(subject.model, plane, subject.axes);
  const bool densities = !heights.empty();
  if (!densities) heights = PosteriorsOf(plane);
  const Axis y{densities ? "prior × density" : "P(class)", "", 0, densities ? top : 1};
  const Chart chart(canvas, plot, x, y);
  canvas.Enclose(plot);
  canvas.Spread(Tints(plane), plot);
  if (!subject.points.empty()) DrawBars(canvas, chart, subject, densities);
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
  const bool calibrated = !subject.model.calibration.identity();
  chart.DrawAxes(subject.prefix +
                 (densities ? "each class's density, times its prior" : "each class's posterior") +
                 (densities && calibrated ? " (regions: calibrated)" : ""));
}

}  // namespace skinmask
