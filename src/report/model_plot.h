// Plots of a model: one of its planes, or its one channel, on a canvas.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "report/canvas.h"
#include "report/chart.h"
#include "skinmask/data/samples.h"
#include "skinmask/report/planes.h"

namespace skinmask {

inline constexpr double kTintOpacity = 0.25;
inline const Pen kThreshold{kDark, 2.6}, kBorder{kFaint, 1, true};

// A class's colour by ClassPalette.
Ink InkOf(std::size_t of_class, double opacity = 1);

// Pixels of a sample table as features of a model; classes are indices of the model's.
struct SamplePoint {
  std::size_t of_class = 0;
  std::array<double, 3> features{};
  double count = 0;
};
// Throws Error if no class of the table is one of the model's.
std::vector<SamplePoint> PointsOf(const Samples& samples, const Model& model);
// At most kMaxPoints of the pixels, chosen evenly over the table.
inline constexpr std::size_t kMaxPoints = 1000;
std::vector<SamplePoint> Thinned(const std::vector<SamplePoint>& points);

// The subject of plots, computed once.
struct Subject {
  const Model& model;
  std::string prefix;  // "lda: " if there are several models
  const std::vector<Axis>& axes;
  std::vector<Plane> planes;
  double level;                         // log-odds of the threshold
  std::array<std::string, 3> why_held;  // by feature: "skin's mean"
  const std::vector<SamplePoint>& points;

  const Axis& AxisOf(int feature) const { return axes[static_cast<std::size_t>(feature)]; }
};

void DrawPlane(Canvas& canvas, const Subject& subject, const Plane& plane, const Box& plot);
// `top` is the upper end of the axis of densities.
void DrawChannel(Canvas& canvas, const Subject& subject, const Plane& plane, const Box& plot,
                 double top);
// The greatest density or bar of such a plot; 0 for models without densities.
double HighestOf(const Subject& subject);

}  // namespace skinmask
