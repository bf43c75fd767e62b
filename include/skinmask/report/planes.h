// The decision boundary in planes of the features.
#pragma once

#include <array>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "skinmask/model/model.h"

namespace [[gnu::visibility("default")]] skinmask {

// One of a model's features, over the values that bytes give it as far as they lie within 3.5
// standard deviations of a class's mean (or all of them, for classes without means).
struct Axis {
  std::string name;
  double low, high;
};
std::vector<Axis> AxesOf(const Model& model);

// Log-odds over a plane of two features. A third feature is held at the classes' pooled mean,
// sum_k prior_k mean_k (or mid-range, for classes without means). With one feature, y is absent and
// the grid is one row.
struct Plane {
  int x = 0;
  std::optional<int> y;
  std::optional<std::pair<int, double>> held;  // the third feature, and its value
  int size = 0;                                // points along x, and along y
  std::vector<double> log_odds;                // by rows of ascending y; NaN where no colour lies
};

// All pairs of the model's features. What the model's reference says at the eight carriers around a
// grid point is interpolated, so this needs nothing to be known of the model's kind.
// Cost: 0.1 us a grid point.
std::vector<Plane> PlanesOf(const Model& model);

// The line where log-odds equal `level`, as segments x1 y1 x2 y2 (marching squares). Where y is
// absent, the crossings of the level, from y 0 to 1.
using Segment = std::array<double, 4>;
std::vector<Segment> BoundaryOf(const Plane& plane, const std::vector<Axis>& axes, double level);

// The planes side by side as CV_8UC3: P(positive) as shade, the boundary, and each class's mean
// with the ellipses of one and two standard deviations (projected, not cut).
cv::Mat DrawPlanes(const Model& model);

}  // namespace skinmask
