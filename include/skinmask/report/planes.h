// Planes of the features, with the classes' regions and the decision boundary.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "skinmask/model/model.h"

namespace [[gnu::visibility("default")]] skinmask {

// One of a model's features. It ranges over the values that bytes can give within 3.5 standard
// deviations of a Gaussian's mean. Without Gaussians, or with one feature only, it ranges over all
// values, so that all boundaries are shown.
struct Axis {
  std::string name;
  std::string unit;  // "8-bit levels"; "share" of chromaticities; "steps of 2°" of OpenCV's hue
  double low, high;
};
std::vector<Axis> AxesOf(const Model& model);
// The axes that contain those of all models of the same features. Models without Gaussians count
// only if no model has any.
std::vector<Axis> AxesOf(std::span<const Model> models);

// The positive class's mean of a feature; absent for models without means.
std::optional<double> PositiveMean(const Model& model, int feature);

// Log-odds and classes over a plane of two features. A third feature is held at the positive
// class's mean, where its own colours are, so that its region contains what is drawn of the class
// (or mid-range, for classes without means). With one feature, y is absent and the
// grid is one row.
struct Plane {
  static constexpr int kNoColour = -1;

  int x = 0;
  std::optional<int> y;
  std::optional<std::pair<int, double>> held;  // the third feature, and its value
  int size = 0;                                // points along x, and along y
  std::size_t class_count = 0;
  std::vector<double> log_odds;       // by rows of ascending y; NaN where there is no colour
  std::vector<double> discriminants;  // class_count for each point, as Reference::Discriminants

  // The number of rows of the grid.
  int rows() const { return y ? size : 1; }
  double Discriminant(std::size_t point, int of_class) const {
    return discriminants[point * class_count + static_cast<std::size_t>(of_class)];
  }
  // The class with the greatest posterior at a point, among equals the lowest; kNoColour where
  // there is no colour.
  int ClassAt(std::size_t point) const;
};

// The planes of all pairs of the model's features, on grids of `size` points a side. The third
// feature is held at `at`, by feature, if that has a value. The reference's results at the eight
// carriers around a grid point are interpolated, so every kind of model is handled alike. Cost:
// 0.15 us per grid point and two classes.
using HeldValues = std::array<std::optional<double>, 3>;
std::vector<Plane> PlanesOf(const Model& model, const std::vector<Axis>& axes, int size,
                            const HeldValues& at = {});

// The model of these features alone, with the others integrated out: for Gaussians and mixtures.
// The log-odds are calibrated as the model's are. Throws Error for other kinds, which have no
// densities, or none of this form.
Model MarginalOf(const Model& model, const std::vector<int>& features);
// As PlanesOf for a model with three features, but each plane is that of MarginalOf instead of a
// cut.
std::vector<Plane> MarginalPlanesOf(const Model& model, const std::vector<Axis>& axes, int size);

// A line through points (x, y); closed where its ends are equal.
using Polyline = std::vector<std::array<double, 2>>;

// The line where log-odds equal `level`. If the plane has no y, the values of x at which they do,
// as lines from y = 0 to 1.
std::vector<Polyline> BoundaryOf(const Plane& plane, const std::vector<Axis>& axes, double level);

// The border where two classes have the same posterior, and no other class has a greater one.
struct Border {
  int first = 0, second = 0;  // classes, the lower one first
  std::vector<Polyline> lines;
};
std::vector<Border> BordersOf(const Plane& plane, const std::vector<Axis>& axes);

// For a model of one feature: prior times density of each class at each point of `plane` over these
// axes, by point, per unit of the feature and without calibration. Empty for logistic models, which
// have no densities.
std::vector<double> DensitiesOf(const Model& model, const Plane& plane,
                                const std::vector<Axis>& axes);

}  // namespace skinmask
