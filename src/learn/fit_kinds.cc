#include "learn/fit_kinds.h"

#include <algorithm>
#include <cmath>

#include "skinmask/base/error.h"

namespace skinmask {

PointPlanes PlanesOf(const Samples& samples, const Features& features,
                     const std::string& class_name) {
  const auto k = std::ranges::find(samples.classes(), class_name) - samples.classes().begin();
  const auto first = std::ranges::lower_bound(samples.rows(), k, {}, &SampleRow::class_index);
  const auto last = std::ranges::upper_bound(samples.rows(), k, {}, &SampleRow::class_index);
  PointPlanes points(static_cast<std::size_t>(last - first));
  const FeatureMatrix matrix = features.Matrix();
  const FeatureVector offset = features.Offset();
  constexpr std::size_t kBlock = 1024;
  std::array<std::uint8_t, 3 * kBlock> bgr;
  std::array<std::int32_t, 3 * kBlock> carrier;
  for (std::size_t done = 0; done < points.count; done += kBlock) {
    const std::size_t size = std::min(kBlock, points.count - done);
    const SampleRow* const rows = &first[static_cast<std::ptrdiff_t>(done)];
    for (std::size_t i = 0; i < size; ++i) {
      bgr[3 * i] = rows[i].b;
      bgr[3 * i + 1] = rows[i].g;
      bgr[3 * i + 2] = rows[i].r;
      points.weight[done + i] = static_cast<double>(rows[i].count);
    }
    CarrierRow(features.space(), bgr.data(), size, carrier.data());
    for (Eigen::Index j = 0; j < features.size(); ++j)
      for (std::size_t i = 0; i < size; ++i)
        points.f[static_cast<std::size_t>(j)][done + i] =
            matrix(j, 0) * carrier[3 * i] + matrix(j, 1) * carrier[3 * i + 1] +
            matrix(j, 2) * carrier[3 * i + 2] + offset(j);
  }
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
