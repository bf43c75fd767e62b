#include <array>
#include <cmath>
#include <cstddef>

#include "skinmask/report/planes.h"

namespace skinmask {
namespace {

// Where a level lies between two values, as a share of the way.
double Between(double a, double b, double level) { return (level - a) / (b - a); }

// The boundary of a plane of one feature.
std::vector<Segment> Crossings(const Plane& plane, const Axis& x, double level) {
  std::vector<Segment> segments;
  for (std::size_t i = 0; i + 1 < plane.log_odds.size(); ++i) {
    const double a = plane.log_odds[i], b = plane.log_odds[i + 1];
    if (std::isnan(a) || std::isnan(b) || (a > level) == (b > level)) continue;
    const double at = x.low + (x.high - x.low) * (static_cast<double>(i) + Between(a, b, level)) /
                                  (plane.size - 1);
    segments.push_back({at, 0, at, 1});
  }
  return segments;
}

}  // namespace

std::vector<Segment> BoundaryOf(const Plane& plane, const std::vector<Axis>& axes, double level) {
  std::vector<Segment> segments;
  if (!std::isfinite(level)) return segments;
  if (!plane.y) return Crossings(plane, axes[static_cast<std::size_t>(plane.x)], level);
  const Axis &x = axes[static_cast<std::size_t>(plane.x)],
             &y = axes[static_cast<std::size_t>(*plane.y)];
  const double dx = (x.high - x.low) / (plane.size - 1), dy = (y.high - y.low) / (plane.size - 1);
  const auto z = [&](int column, int row) {
    return plane.log_odds[static_cast<std::size_t>(row * plane.size + column)];
  };
  for (int row = 0; row + 1 < plane.size; ++row)
    for (int column = 0; column + 1 < plane.size; ++column) {
      // Around the cell: corner i at kCorner[i], and the side from it to the next corner.
      constexpr int kCorner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
      std::vector<std::array<double, 2>> crossings;
      bool colours = true;
      for (int i = 0; i < 4; ++i) {
        const int *a = kCorner[i], *b = kCorner[(i + 1) % 4];
        const double za = z(column + a[0], row + a[1]), zb = z(column + b[0], row + b[1]);
        colours &= std::isfinite(za);
        if ((za > level) == (zb > level)) continue;
        const double t = Between(za, zb, level);
        crossings.push_back({x.low + dx * (column + a[0] + t * (b[0] - a[0])),
                             y.low + dy * (row + a[1] + t * (b[1] - a[1]))});
      }
      for (std::size_t i = 0; colours && i + 1 < crossings.size(); i += 2)
        segments.push_back(
            {crossings[i][0], crossings[i][1], crossings[i + 1][0], crossings[i + 1][1]});
    }
  return segments;
}

}  // namespace skinmask
