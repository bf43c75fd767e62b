#include "learn/fit_kinds.h"

#include <algorithm>
#include <cmath>

#include "data/carriers.h"
#include "skinmask/base/error.h"

namespace skinmask {

PointPlanes PlanesOf(const Samples& samples, const Features& features,
                     const std::string& class_name) {
  const auto k = std::ranges::find(samples.classes(), class_name) - samples.classes().begin();
  const auto first = std::ranges::lower_bound(samples.rows(), k, {}, &SampleRow::class_index);
  const auto last = std::ranges::upper_bound(samples.rows(), k, {}, &SampleRow::class_index);
  const std::span rows(first, last);
  PointPlanes points(rows.size());
  const FeatureMatrix matrix = features.Matrix();
  const FeatureVector offset = features.Offset();
  ForEachCarrier(rows, features.space(), [&](std::size_t i, const std::int32_t* carrier) {
    points.weight[i] = static_cast<double>(rows[i].count);
    for (Eigen::Index j = 0; j < features.size(); ++j)
      points.f[static_cast<std::size_t>(j)][i] = matrix(j, 0) * carrier[0] +
                                                 matrix(j, 1) * carrier[1] +
                                                 matrix(j, 2) * carrier[2] + offset(j);
  });
  return points;
}

Scale ScaleOf(std::span<const PointPlanes> classes, int features) {
  double total = 0;
  for (const PointPlanes& points : classes)
    for (std::size_t k = 0; k < points.count; ++k) total += points.weight[k];
  Scale scale{FeatureVector::Zero(features), FeatureVector::Zero(features)};
  for (int i = 0; i < features; ++i) {
    const auto channel = static_cast<std::size_t>(i);
    double sum = 0, squares = 0;
    for (const PointPlanes& points : classes)
      for (std::size_t k = 0; k < points.count; ++k) sum += points.weight[k] * points.f[channel][k];
    const double mean = scale.mean(i) = sum / total;
    for (const PointPlanes& points : classes)
      for (std::size_t k = 0; k < points.count; ++k) {
        const double d = points.f[channel][k] - mean;
        squares += points.weight[k] * d * d;
      }
    scale.deviation(i) = std::sqrt(squares / total);
  }
  return scale;
}

void Iterations::RequireNotStopped() const {
  if (options_.stop && options_.stop->load())
    throw Error("fit", "was stopped before its end (interrupted)");
}

void Iterations::Done(int left) {
  pixels_ += pixels_of_each_;
  ++done_;
  if (options_.progress)
    options_.progress(done_, done_ + static_cast<std::size_t>(left) + later_, pixels_);
}

}  // namespace skinmask
