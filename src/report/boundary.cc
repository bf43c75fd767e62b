#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <utility>

#include "skinmask/report/planes.h"

namespace skinmask {
namespace {

using Point = std::array<double, 2>;
using Segment = std::array<Point, 2>;
using Ends = std::multimap<Point, std::size_t>;  // of segments, by index

// A grid point and its coordinates.
struct Vertex {
  std::size_t index = 0;
  Point at{};
};

// The side that each grid point is on (kNoColour for none), and the lead of side a over side b at a
// point.
struct Sides {
  std::vector<int> of;
  std::function<double(std::size_t point, int a, int b)> lead;
};

// The point where the border between the sides of two neighbours crosses the line between them. It
// does not depend on the order of the neighbours, to the last bit, so that segments meet.
Point Crossing(Vertex v, Vertex w, const Sides& sides) {
  if (v.index > w.index) std::swap(v, w);
  const int a = sides.of[v.index], b = sides.of[w.index];
  const double at_v = sides.lead(v.index, a, b), at_w = sides.lead(w.index, a, b);
  double t = at_v / (at_v - at_w);
  if (!std::isfinite(t)) t = 0.5;
  if (t == 1) return w.at;
  return {v.at[0] + t * (w.at[0] - v.at[0]), v.at[1] + t * (w.at[1] - v.at[1])};
}

using Segments = std::map<std::pair<int, int>, std::vector<Segment>>;  // by their two sides

// A border through a grid point has length 0 in some triangles; it is left out there.
void Add(std::vector<Segment>& segments, const Point& a, const Point& b) {
  if (a != b) segments.push_back({a, b});
}

// The borders within a triangle. Three borders meet in one point, which is approximated by the mean
// of their crossings.
void AddTriangle(const std::array<Vertex, 3>& triangle, const Sides& sides, Segments& segments) {
  std::array<int, 3> side;
  for (std::size_t i = 0; i < 3; ++i) side[i] = sides.of[triangle[i].index];
  if (side[0] == Plane::kNoColour || side[1] == Plane::kNoColour || side[2] == Plane::kNoColour)
    return;
  std::vector<std::pair<std::pair<int, int>, Point>> crossings;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    if (side[i] != side[j])
      crossings.push_back(
          {std::minmax(side[i], side[j]), Crossing(triangle[i], triangle[j], sides)});
  }
  if (crossings.size() == 2)
    Add(segments[crossings[0].first], crossings[0].second, crossings[1].second);
  if (crossings.size() < 3) return;
  Point middle{};
  for (const auto& [pair, crossing] : crossings)
    for (std::size_t k = 0; k < 2; ++k) middle[k] += crossing[k] / 3;
  for (const auto& [pair, crossing] : crossings) Add(segments[pair], crossing, middle);
}

// Divides each cell of the grid into two triangles, in which borders of linear functions are
// straight.
Segments SegmentsOf(const Plane& plane, const Axis& x, const Axis* y, const Sides& sides) {
  const double steps = plane.size - 1;
  const auto vertex = [&](int column, int row) -> Vertex {
    return {static_cast<std::size_t>(row * plane.size + column),
            {x.low + (x.high - x.low) * column / steps,
             y ? y->low + (y->high - y->low) * row / steps : 0}};
  };
  Segments segments;
  for (int row = 0; row < plane.rows() - (y ? 1 : 0); ++row)
    for (int column = 0; column + 1 < plane.size; ++column) {
      const Vertex v = vertex(column, row), next = vertex(column + 1, row);
      if (y) {
        const Vertex diagonal = vertex(column + 1, row + 1);
        AddTriangle({v, next, diagonal}, sides, segments);
        AddTriangle({v, vertex(column, row + 1), diagonal}, sides, segments);
        continue;
      }
      const int a = sides.of[v.index], b = sides.of[next.index];
      if (a == b || a == Plane::kNoColour || b == Plane::kNoColour) continue;
      const double at = Crossing(v, next, sides)[0];
      segments[std::minmax(a, b)].push_back({Point{at, 0}, Point{at, 1}});
    }
  return segments;
}

// Joins segments from `from` on, as far as they continue, and removes them from `left`.
Polyline Walk(Point from, const std::vector<Segment>& segments, Ends& left) {
  Polyline line{from};
  for (auto next = left.find(from); next != left.end(); next = left.find(from)) {
    const std::size_t i = next->second;
    left.erase(next);
    const Point to = segments[i][segments[i][0] == from ? 1 : 0];
    for (auto [end, last] = left.equal_range(to); end != last; ++end)
      if (end->second == i) {
        left.erase(end);
        break;
      }
    line.push_back(from = to);
  }
  return line;
}

// Leaves out points within `reach` (along x and y) of a line between points that are kept (Douglas
// and Peucker 1973).
void Simplify(std::span<const Point> line, Point reach, Polyline& kept) {
  const auto scaled = [&](Point a, Point b) {
    return Point{(b[0] - a[0]) / reach[0], (b[1] - a[1]) / reach[1]};
  };
  const Point along = scaled(line.front(), line.back());
  const double length = std::hypot(along[0], along[1]);
  std::size_t farthest = 0;
  double most = 1;
  for (std::size_t i = 1; i + 1 < line.size(); ++i) {
    const Point to = scaled(line.front(), line[i]);
    const double distance = length > 0 ? std::abs(along[0] * to[1] - along[1] * to[0]) / length
                                       : std::hypot(to[0], to[1]);
    if (distance > most) std::tie(most, farthest) = std::pair(distance, i);
  }
  if (farthest == 0) {
    kept.push_back(line.back());
    return;
  }
  Simplify(line.first(farthest + 1), reach, kept);
  Simplify(line.subspan(farthest), reach, kept);
}

// Joins segments to lines that are as long as possible, starting at open ends.
std::vector<Polyline> Joined(const std::vector<Segment>& segments, Point reach) {
  Ends left;
  for (std::size_t i = 0; i < segments.size(); ++i)
    for (const Point& end : segments[i]) left.emplace(end, i);
  std::vector<Point> starts;
  for (const auto& [end, i] : left)
    if (left.count(end) % 2 == 1) starts.push_back(end);
  for (const Segment& segment : segments) starts.push_back(segment[0]);
  std::vector<Polyline> lines;
  for (const Point& start : starts) {
    const Polyline line = Walk(start, segments, left);
    if (line.size() < 2) continue;
    lines.push_back({start});
    Simplify(line, reach, lines.back());
  }
  return lines;
}

std::vector<Border> Borders(const Plane& plane, const std::vector<Axis>& axes, const Sides& sides) {
  const Axis& x = axes[static_cast<std::size_t>(plane.x)];
  const Axis* const y = plane.y ? &axes[static_cast<std::size_t>(*plane.y)] : nullptr;
  constexpr double kOfCell = 0.05;
  const double share = kOfCell / (plane.size - 1);
  const Point reach{share * (x.high - x.low), y ? share * (y->high - y->low) : 1};
  std::vector<Border> borders;
  for (const auto& [pair, segments] : SegmentsOf(plane, x, y, sides))
    borders.push_back({pair.first, pair.second, Joined(segments, reach)});
  return borders;
}

}  // namespace

std::vector<Polyline> BoundaryOf(const Plane& plane, const std::vector<Axis>& axes, double level) {
  if (!std::isfinite(level)) return {};
  const std::vector<double>& z = plane.log_odds;
  Sides sides{{}, [&](std::size_t i, int a, int) { return a == 0 ? z[i] - level : level - z[i]; }};
  for (const double point : z)
    sides.of.push_back(std::isnan(point) ? Plane::kNoColour : static_cast<int>(point <= level));
  const std::vector<Border> borders = Borders(plane, axes, sides);
  return borders.empty() ? std::vector<Polyline>() : borders.front().lines;
}

std::vector<Border> BordersOf(const Plane& plane, const std::vector<Axis>& axes) {
  Sides sides{{}, [&](std::size_t i, int a, int b) {
                return plane.Discriminant(i, a) - plane.Discriminant(i, b);
              }};
  for (std::size_t i = 0; i < plane.log_odds.size(); ++i) sides.of.push_back(plane.ClassAt(i));
  return Borders(plane, axes, sides);
}

}  // namespace skinmask
