// A Chart is a rectangle with two axes on a canvas.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/canvas.h"
#include "skinmask/report/curves.h"
#include "skinmask/report/picture.h"
#include "skinmask/report/planes.h"

namespace skinmask {

inline constexpr Ink kDark{0.13, 0.13, 0.13, 1}, kFaint{0.38, 0.38, 0.38, 1},
    kRule{0.86, 0.86, 0.86, 1}, kWhite{1, 1, 1, 1};

void DrawDiamond(Canvas& canvas, const Spot& at, double reach, const Ink& ink);

// The drawing, of this width and height. Throws Error if Cairo fails.
std::string FileOf(Canvas& canvas, double width, double height, PictureFormat format);

// A rate against the threshold on P, from 1 to 0: it changes at the scores alone. Empty if it is
// undefined.
Polyline StairsOf(const Curve& curve, std::optional<double> (*rate)(const Confusion&));

class Chart {
 public:
  // Room for numbers and titles around the plot.
  static constexpr double kLeft = 66, kBelow = 44, kAbove = 24, kRight = 14;

  Chart(Canvas& canvas, Box plot, Axis x, Axis y)
      : canvas_(canvas), plot_(plot), x_(std::move(x)), y_(std::move(y)) {}

  Spot At(double vx, double vy) const {
    return {plot_.left + (vx - x_.low) / (x_.high - x_.low) * plot_.width,
            plot_.bottom() - (vy - y_.low) / (y_.high - y_.low) * plot_.height};
  }
  void Line(const Polyline& line, const Pen& pen) const;
  // Draws the frame, ticks with their numbers, the axes' titles, and a line of text above.
  void DrawAxes(const std::string& above) const;

 private:
  Canvas& canvas_;
  Box plot_;
  Axis x_, y_;
};

// A legend: marks and their names, in rows below a picture.
struct LegendEntry {
  std::string text;
  std::optional<Pen> pen{};   // draws a line before the text, or around an area
  std::optional<Ink> tint{};  // fills the area
};
using Legend = std::vector<LegendEntry>;
double WidestEntry(const Legend& legend, Canvas& canvas);
// Returns the height.
double DrawLegend(const Legend& legend, Canvas& canvas, Spot top_left, double width);

// The multiples of 1, 2 or 5 times a power of ten from `low` to `high`, at most `most` of them;
// `most` is at least 2.
struct Ticks {
  Ticks(double low, double high, int most);

  std::vector<double> values;
  int decimals = 0;  // needed to distinguish them

  std::string Text(double value) const;
};

}  // namespace skinmask
