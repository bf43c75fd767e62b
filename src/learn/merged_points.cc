#include <cmath>
#include <cstdint>

#include "learn/point_planes.h"

namespace skinmask {
namespace {

constexpr std::size_t kCells = 64;  // in each feature
constexpr double kPerDeviation = 8;

// Which cell of a feature its values are in.
class Grid {
 public:
  Grid(const std::vector<double>& feature, const std::vector<double>& weight) {
    double n = 0, sum = 0, squares = 0;
    for (std::size_t k = 0; k < feature.size(); ++k) {
      n += weight[k];
      sum += weight[k] * feature[k];
    }
    const double mean = sum / n;
    for (std::size_t k = 0; k < feature.size(); ++k)
      squares += weight[k] * (feature[k] - mean) * (feature[k] - mean);
    const double deviation = std::sqrt(squares / n);
    if (!(deviation > 0)) return;  // all in one cell
    per_unit_ = kPerDeviation / deviation;
    low_ = mean - kCells / 2 / per_unit_;
  }
  std::size_t CellOf(double value) const {
    return static_cast<std::size_t>(
        std::clamp((value - low_) * per_unit_, 0., static_cast<double>(kCells - 1)));
  }

 private:
  double low_ = 0, per_unit_ = 0;
};

struct Cell {
  double weight = 0;
  std::array<double, 3> sum{};
};

}  // namespace

PointPlanes Merged(const PointPlanes& points) {
  const std::array<Grid, 3> grids{Grid(points.f[0], points.weight),
                                  Grid(points.f[1], points.weight),
                                  Grid(points.f[2], points.weight)};
  std::vector<Cell> cells(kCells * kCells * kCells);
  for (std::size_t k = 0; k < points.count; ++k) {
    std::size_t place = 0;
    for (std::size_t i = 0; i < 3; ++i) place = place * kCells + grids[i].CellOf(points.f[i][k]);
    cells[place].weight += points.weight[k];
    for (std::size_t i = 0; i < 3; ++i) cells[place].sum[i] += points.weight[k] * points.f[i][k];
  }
  std::erase_if(cells, [](const Cell& cell) { return cell.weight == 0; });
  PointPlanes merged(cells.size());
  for (std::size_t k = 0; k < cells.size(); ++k) {
    merged.weight[k] = cells[k].weight;
    for (std::size_t i = 0; i < 3; ++i) merged.f[i][k] = cells[k].sum[i] / cells[k].weight;
  }
  return merged;
}

}  // namespace skinmask
