#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "detect/adapt/exp2.h"
#include "detect/adapt/seed_priors.h"

namespace skinmask {
namespace {

// Widths of the transitions at the border of the head and at the chin, and the place of the chin.
// All lengths are in sizes of the face: u to the right of its centre, v down.
constexpr float kHeadBlur = 0.1f, kChin = 0.5f, kChinBlur = 0.15f;

float Logistic(float z) {
  constexpr float kLog2E = 0x1.715476p+0f;
  return 1 / (1 + Exp2(z * -kLog2E));
}

float Blended(float share, float a, float b) { return share * a + (1 - share) * b; }

float Rounded(double value) { return static_cast<float>(value); }

// The options as floats, for the loops over pixels.
struct PriorAt {
  const SpatialPriorOptions& o;
  const float head = Rounded(o.head), above = Rounded(o.above), below = Rounded(o.below);
  const float per_width = Rounded(o.decay_per_face_width);
  const float max_widths = Rounded(o.max_decay_widths);
  const float per_height = Rounded(o.decay_per_face_height);
  const float max_heights = Rounded(o.max_decay_heights);
  const float per_half_width = Rounded(1 / o.head_half_width);
  const float per_half_height = Rounded(1 / o.head_half_height);

  float BelowHead(float u, float v) const {
    return below - Beside(u) - per_height * std::min(Beyond(v), max_heights);
  }

  float AroundFace(float u, float v) const {
    const float x = u * per_half_width, y = (v - Rounded(kHeadCentre)) * per_half_height;
    const float in_head = Logistic((1 - std::sqrt(x * x + y * y)) * (1 / kHeadBlur));
    const float past_chin = Logistic((v - kChin) * (1 / kChinBlur));
    return Blended(in_head, head, Blended(past_chin, BelowHead(u, v), above - Beside(u)));
  }

  // What is added if nobody else is there: where arms seldom are, there are walls and things; legs
  // have fewer clothes than the rest.
  static float OfOnePerson(float u, float v) {
    constexpr float kBeside = 2, kAbove = 1, kSlope = 4, kMax = 3;
    constexpr float kHips = 4, kLegs = 0.5f;
    const float out = std::max(std::max(std::abs(u) - kBeside, -v - kAbove), 0.f);
    return kLegs * std::clamp(v - kHips, 0.f, 1.f) - std::min(kSlope * out, kMax);
  }

 private:
  static float Beyond(float distance) { return std::max(std::abs(distance) - 1, 0.f); }
  float Beside(float u) const { return per_width * std::min(Beyond(u), max_widths); }
};

bool IsMarked(const Seed& seed, int x, int y) {
  return seed.box.contains({x, y}) &&
         (seed.skin.empty() || seed.skin.at<std::uint8_t>(y - seed.box.y, x - seed.box.x) != 0);
}

// The place of a point relative to a seed, in sizes of the face, or in widths and heights of a
// region.
cv::Point2d FromSeed(const Seed& seed, const cv::Point2d& point) {
  if (seed.face) return seed.face->FromImage(point);
  return {(point.x - seed.box.x) / seed.box.width - 0.5,
          (point.y - seed.box.y) / seed.box.height - 0.5};
}

// For each pixel of a row: its coordinates relative to the nearest seed, the squared distance, and
// the index of that seed.
struct NearestSeeds {
  std::vector<float> u, v, squared;
  std::vector<int> index;

  // Takes this seed for the pixels that are nearer to it than to all earlier ones. The row begins
  // at `first`; a pixel of it is `step` pixels of the seed's image.
  void Take(const Seed& seed, int its_index, const cv::Point2d& first, double step) {
    const cv::Point2d from = FromSeed(seed, first);
    const cv::Point2d to = FromSeed(seed, first + cv::Point2d(step, 0)) - from;
    const auto u_first = static_cast<float>(from.x), v_first = static_cast<float>(from.y);
    const auto u_step = static_cast<float>(to.x), v_step = static_cast<float>(to.y);
    for (std::size_t i = 0; i < u.size(); ++i) {
      const auto x = static_cast<float>(static_cast<int>(i));
      const float its_u = u_first + u_step * x, its_v = v_first + v_step * x;
      const float its_squared = its_u * its_u + its_v * its_v;
      const bool nearer = its_squared < squared[i];
      u[i] = nearer ? its_u : u[i];
      v[i] = nearer ? its_v : v[i];
      index[i] = nearer ? its_index : index[i];
      squared[i] = nearer ? its_squared : squared[i];
    }
  }
};

// How surely the only face is that of the only person, 0 to 1. A photographer puts one person into
// the middle; where there are several, of whom one was found, that one mostly stands elsewhere.
float IsAlone(std::span<const Seed> seeds, const cv::Size& image) {
  constexpr double kSure = 0.1, kUnsure = 0.2;  // distances from the middle, in widths of the image
  if (seeds.size() != 1 || !seeds[0].face) return 0;
  const double aside = std::abs(seeds[0].face->centre.x / image.width - 0.5);
  return Rounded(std::clamp((kUnsure - aside) / (kUnsure - kSure), 0., 1.));
}

}  // namespace

cv::Mat SpatialPrior(const cv::Size& to, const cv::Size& from, std::span<const Seed> seeds,
                     const SpatialPriorOptions& options) {
  const double step = static_cast<double>(from.width) / to.width;
  const double height = static_cast<double>(from.height) / to.height;
  const bool has_regions = std::ranges::any_of(seeds, [](const Seed& seed) { return !seed.face; });
  const PriorAt prior_at{options};
  const float alone = Rounded(options.alone) * IsAlone(seeds, from);
  const auto width = static_cast<std::size_t>(to.width);
  const std::vector<float> zeros(width);
  NearestSeeds nearest{zeros, zeros, zeros, std::vector<int>(width)};
  cv::Mat prior(to, CV_32FC1);
  for (int j = 0; j < to.height; ++j) {
    const cv::Point2d first(0.5 * step, (j + 0.5) * height);
    std::ranges::fill(nearest.squared, HUGE_VALF);
    for (std::size_t k = 0; k < seeds.size(); ++k)
      nearest.Take(seeds[k], static_cast<int>(k), first, step);
    float* const out = prior.ptr<float>(j);
    for (std::size_t i = 0; i < width; ++i)
      out[i] = prior_at.AroundFace(nearest.u[i], nearest.v[i]);
    for (std::size_t i = 0; alone > 0 && i < width; ++i)
      out[i] += alone * PriorAt::OfOnePerson(nearest.u[i], nearest.v[i]);
    for (std::size_t i = 0; has_regions && i < width; ++i) {
      const Seed& seed = seeds[static_cast<std::size_t>(nearest.index[i])];
      if (seed.face) continue;
      const int x = static_cast<int>(first.x + static_cast<double>(i) * step);
      out[i] = IsMarked(seed, x, static_cast<int>(first.y))
                   ? prior_at.head
                   : prior_at.BelowHead(nearest.u[i], nearest.v[i]);
    }
  }
  return prior;
}

}  // namespace skinmask
