#include "report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"

namespace skinmask {
namespace {

constexpr Font kNumbers{10, false}, kTitles{11, false}, kAboveFont{11, true};
constexpr double kTick = 4, kMarkWidth = 22, kGap = 22, kRowHeight = 19;

double MarkWidth(const LegendEntry& entry) { return entry.pen ? kMarkWidth + 7 : 0; }

double EntryWidth(Canvas& canvas, const LegendEntry& entry) {
  return MarkWidth(entry) + canvas.WidthOf(entry.text, kTitles);
}

std::array<Spot, 5> Outline(double left, double top, double right, double bottom) {
  return {{{left, top}, {right, top}, {right, bottom}, {left, bottom}, {left, top}}};
}

void DrawEntry(Canvas& canvas, const LegendEntry& entry, Spot left) {
  if (entry.tint) {
    const auto corners = Outline(left.x, left.y - 6, left.x + kMarkWidth, left.y + 6);
    canvas.Fill(corners, *entry.tint);
    canvas.Line(corners, *entry.pen);
  } else if (entry.pen) {
    const Spot ends[] = {left, {left.x + kMarkWidth, left.y}};
    canvas.Line(ends, *entry.pen);
  }
  canvas.Write({entry.text, {left.x + MarkWidth(entry), left.y + 4}, kTitles}, kDark);
}

// The title of an axis: "Cr (8-bit levels)", or the name alone.
std::string TitleOf(const Axis& axis) {
  return axis.unit.empty() ? axis.name : axis.name + " (" + axis.unit + ")";
}

}  // namespace

void DrawDiamond(Canvas& canvas, const Spot& at, double reach, const Ink& ink) {
  const Spot corners[] = {
      {at.x - reach, at.y}, {at.x, at.y - reach}, {at.x + reach, at.y}, {at.x, at.y + reach}};
  canvas.Fill(corners, ink);
}

std::string FileOf(Canvas& canvas, double width, double height, PictureFormat format) {
  std::string problem;
  std::string file =
      canvas.File({std::ceil(width), std::ceil(height)}, format == PictureFormat::kSvg, problem);
  if (!problem.empty()) throw Error("picture", "cannot be drawn: " + problem);
  return file;
}

Polyline StairsOf(const Curve& curve, std::optional<double> (*rate)(const Confusion&)) {
  Polyline line;
  for (std::size_t k = 0; k < curve.points.size(); ++k) {
    const std::optional<double> here = rate(curve.points[k].counts);
    if (!here) continue;
    const double jump = Logistic(curve.scores[k]);
    if (!line.empty()) line.push_back({jump, line.back()[1]});
    line.push_back({jump, *here});
  }
  if (!line.empty()) line.push_back({0, line.back()[1]});
  return line;
}

void Chart::Line(const Polyline& line, const Pen& pen) const {
  std::vector<Spot> spots;
  for (const auto& [vx, vy] : line) spots.push_back(At(vx, vy));
  canvas_.Line(spots, pen);
}

void Chart::DrawAxes(const std::string& above) const {
  const Pen thin{kDark, 1};
  const Ticks along_x(x_.low, x_.high, 7), along_y(y_.low, y_.high, 7);
  for (const double value : along_x.values) {
    const double at = At(value, y_.low).x, bottom = plot_.bottom();
    const Spot tick[] = {{at, bottom}, {at, bottom + kTick}};
    canvas_.Line(tick, thin);
    canvas_.Write({along_x.Text(value), {at, bottom + 16}, kNumbers, 0.5}, kDark);
  }
  for (const double value : along_y.values) {
    const double at = At(x_.low, value).y;
    const Spot tick[] = {{plot_.left - kTick, at}, {plot_.left, at}};
    canvas_.Line(tick, thin);
    canvas_.Write({along_y.Text(value), {plot_.left - 7, at + 3.5}, kNumbers, 1}, kDark);
  }
  canvas_.Line(Outline(plot_.left, plot_.top, plot_.right(), plot_.bottom()), thin);
  const double middle = plot_.top + plot_.height / 2;
  canvas_.Write({TitleOf(x_), {plot_.left + plot_.width / 2, plot_.bottom() + 34}, kTitles, 0.5},
                kDark);
  canvas_.Write({TitleOf(y_), {plot_.left - kLeft + 13, middle}, kTitles, 0.5, true}, kDark);
  canvas_.Write({above, {plot_.left, plot_.top - 9}, kAboveFont}, kDark);
}

double WidestEntry(const Legend& legend, Canvas& canvas) {
  double widest = 0;
  for (const LegendEntry& entry : legend) widest = std::max(widest, EntryWidth(canvas, entry));
  return widest;
}

double DrawLegend(const Legend& legend, Canvas& canvas, Spot top_left, double width) {
  double x = 0, y = kRowHeight / 2;
  for (const LegendEntry& entry : legend) {
    const double wide = EntryWidth(canvas, entry);
    if (x > 0 && x + wide > width) {
      x = 0;
      y += kRowHeight;
    }
    DrawEntry(canvas, entry, {top_left.x + x, top_left.y + y});
    x += wide + kGap;
  }
  return y + kRowHeight / 2;
}

Ticks::Ticks(double low, double high, int most) {
  if (!(low < high)) return;
  const double power = std::floor(std::log10((high - low) / most));
  constexpr double kSlack = 1e-9;  // in steps, for rounded ends
  for (const double digit : {1, 2, 5, 10}) {
    const double step = digit * std::pow(10, power);
    const double first = std::ceil(low / step - kSlack), last = std::floor(high / step + kSlack);
    if (last - first + 1 > most) continue;
    for (double i = first; i <= last; ++i) values.push_back(i * step);
    decimals = std::max(0, -static_cast<int>(power) - (digit == 10 ? 1 : 0));
    return;
  }
}

std::string Ticks::Text(double value) const {
  constexpr int kMaxDecimals = 6;
  if (decimals > kMaxDecimals) return fmt::format("{:.3g}", value);
  return fmt::format("{:.{}f}", value == 0 ? 0. : value, decimals);
}

}  // namespace skinmask
