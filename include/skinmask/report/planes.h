// Planes of the features show the classes' regions and the decision boundary.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "skinmask/model/model.h"

namespace [[gnu::visibility("default")]] skinmask {

// One of a model's features, over the values that bytes give it as far as they lie within 3.5
// standard deviations of a Gaussian's mean (or all of them, for classes without means, and where
// there is one feature, so that all of its boundaries are shown).
struct Axis {
  std::string name;
  std::string unit;  // "8-bit levels"; "share" of chromaticities; "steps of 2°" of OpenCV's hue
  double low, high;
};
std::vector<Axis> AxesOf(const Model& model);
// Axes that hold those of all models of the same features; of classes without means only where no
// model has others.
std::vector<Axis> AxesOf(std::span<const Model> models);

// Log-odds and classes over a plane of two features. A third feature is held at the positive
// class's mean (or mid-range, for classes without means). With one feature, y is absent and the
// grid is one row.
struct Plane {
  static constexpr int kNoColour = -1;

  int x = 0;
  std::optional<int> y;
  std::optional<std::pair<int, double>> held;  // the third feature, and its value
  int size = 0;                                // points along x, and along y
  std::size_t class_count = 0;
  std::vector<double> log_odds;       // by rows of ascending y; NaN where no colour lies
  std::vector<double> discriminants;  // class_count for each point, as Reference has them

  // Rows of the grid.
  int rows() const { return y ? size : 1; }
  double Discriminant(std::size_t point, int of_class) const {
    return discriminants[point * class_count + static_cast<std::size_t>(of_class)];
  }
  // The class with the greatest posterior at a point, the lowest of equals; kNoColour where no
  // colour lies.
  int ClassAt(std::size_t point) const;
};

// All pairs of the model's features, on grids of so many points a side. What the model's reference
// says at the eight carriers around a grid point is interpolated, so this needs nothing to be known
// of the model's kind. Cost: 0.15 us a grid point and two classes.
std::vector<Plane> PlanesOf(const Model& model, int size);
// The same over these axes, with the third feature held at `at`, by feature, where there is a
// value.
using HeldValues = std::array<std::optional<double>, 3>;
std::vector<Plane> PlanesOf(const Model& model, const std::vector<Axis>& axes, int size,
                            const HeldValues& at);

// What the model's classes are where only these of its features are seen, the others integrated
// out: of Gaussians and mixtures, before any calibration. Throws Error for other kinds, whose
// densities are unknown or are not made up of such parts.
Model MarginalOf(const Model& model, const std::vector<int>& features);
// As PlanesOf of a model with three features: in each plane that of MarginalOf, nothing is held.
std::vector<Plane> MarginalPlanesOf(const Model& model, const std::vector<Axis>& axes, int size);

// A line through points (x, y); closed where its ends are equal.
using Polyline = std::vector<std::array<double, 2>>;

// The line where log-odds equal `level`. Where the plane has no y, the crossings of the level, from
// y 0 to 1.
std::vector<Polyline> BoundaryOf(const Plane& plane, const std::vector<Axis>& axes, double level);

// Where two classes have the same posterior, and no other has a greater one; likewise.
struct Border {
  int first = 0, second = 0;  // classes, the lower one first
  std::vector<Polyline> lines;
};
std::vector<Border> BordersOf(const Plane& plane, const std::vector<Axis>& axes);

// Of a model of one feature: prior times density of each class at each point of `plane` over these
// axes, by point, per unit of the feature and before any calibration. Empty for logistic models,
// which have none.
std::vector<double> DensitiesOf(const Model& model, const Plane& plane,
                                const std::vector<Axis>& axes);

}  // namespace skinmask
