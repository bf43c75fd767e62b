#include "detect/adapt/spatial_prior.h"

#include <algorithm>
#include <cmath>

#include "skinmask/base/logistic.h"

namespace skinmask {
namespace {

// Widths of the transitions at the head's border and at the chin, and where the chin is. All
// lengths are in face boxes: u to the right of the centre, v down.
constexpr double kHeadBlur = 0.1, kChin = 0.5, kChinBlur = 0.15;

double BelowHead(double u, double v, const SpatialPriorOptions& o) {
  const double beyond = std::max(std::abs(u) - 1, 0.) + std::max(std::abs(v) - 1, 0.);
  return o.below - o.decay_per_face_width * std::min(beyond, o.max_decay_widths);
}

double AroundFace(double u, double v, const SpatialPriorOptions& o) {
  const double x = u / o.head_half_width, y = (v - kHeadCentre) / o.head_half_height;
  const double head = Logistic((1 - std::sqrt(x * x + y * y)) / kHeadBlur);
  const double below = Logistic((v - kChin) / kChinBlur);
  return head * o.head + (1 - head) * (below * BelowHead(u, v, o) + (1 - below) * o.above);
}

bool IsMarked(const Seed& seed, int x, int y) {
  return seed.box.contains({x, y}) &&
         (seed.skin.empty() || seed.skin.at<std::uint8_t>(y - seed.box.y, x - seed.box.x) != 0);
}

// At a pixel (x, y) of the seeds' image.
double OfNearest(std::span<const Seed> seeds, double x, double y, const SpatialPriorOptions& o) {
  double nearest = HUGE_VAL, value = 0;
  for (const Seed& seed : seeds) {
    const double u = (x - seed.box.x) / seed.box.width - 0.5;
    const double v = (y - seed.box.y) / seed.box.height - 0.5;
    const double distance = u * u + v * v;
    if (distance >= nearest) continue;
    nearest = distance;
    value = seed.face                                                  ? AroundFace(u, v, o)
            : IsMarked(seed, static_cast<int>(x), static_cast<int>(y)) ? o.head
                                                                       : BelowHead(u, v, o);
  }
  return value;
}

}  // namespace

cv::Mat SpatialPrior(const cv::Size& to, const cv::Size& from, std::span<const Seed> seeds,
                     const SpatialPriorOptions& options) {
  const double width = static_cast<double>(from.width) / to.width;
  const double height = static_cast<double>(from.height) / to.height;
  cv::Mat prior(to, CV_32FC1);
  for (int j = 0; j < to.height; ++j) {
    float* const row = prior.ptr<float>(j);
    for (int i = 0; i < to.width; ++i)
      row[i] = static_cast<float>(OfNearest(seeds, (i + 0.5) * width, (j + 0.5) * height, options));
  }
  return prior;
}

}  // namespace skinmask
