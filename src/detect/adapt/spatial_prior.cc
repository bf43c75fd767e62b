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

// The rows of the prior in a small image, each pixel of which is `step` pixels of the seeds' image.
class PriorRows {
 public:
  PriorRows(std::span<const Seed> seeds, const SpatialPriorOptions& options, std::size_t width)
      : seeds_(seeds), prior_at_{options}, u_(width), v_(width), squared_(width), nearest_(width) {}

  // Computes the row whose first pixel lies at `first`.
  void Row(const cv::Point2d& first, double step, float* out) {
    std::ranges::fill(squared_, HUGE_VALF);
    for (std::size_t i = 0; i < seeds_.size(); ++i) TakeNearer(i, first, step);
    for (std::size_t i = 0; i < u_.size(); ++i) out[i] = prior_at_.AroundFace(u_[i], v_[i]);
    if (std::ranges::any_of(seeds_, [](const Seed& seed) { return !seed.face; }))
      AddRegions(first, step, out);
  }

 private:
  // Pixels that are nearer to this seed than to all earlier ones get coordinates relative to it.
  void TakeNearer(std::size_t seed, const cv::Point2d& first, double step) {
    const cv::Point2d from = FromSeed(seeds_[seed], first);
    const cv::Point2d to = FromSeed(seeds_[seed], first + cv::Point2d(step, 0)) - from;
    const auto u_first = static_cast<float>(from.x), v_first = static_cast<float>(from.y);
    const auto u_step = static_cast<float>(to.x), v_step = static_cast<float>(to.y);
    const auto index = static_cast<int>(seed);
    for (std::size_t i = 0; i < u_.size(); ++i) {
      const auto x = static_cast<float>(static_cast<int>(i));
      const float u = u_first + u_step * x, v = v_first + v_step * x, squared = u * u + v * v;
      const bool nearer = squared < squared_[i];
      u_[i] = nearer ? u : u_[i];
      v_[i] = nearer ? v : v_[i];
      nearest_[i] = nearer ? index : nearest_[i];
      squared_[i] = nearer ? squared : squared_[i];
    }
  }

  // Overwrites the pixels whose nearest seed is a region.
  void AddRegions(const cv::Point2d& first, double step, float* out) const {
    for (std::size_t i = 0; i < u_.size(); ++i) {
      const Seed& seed = seeds_[static_cast<std::size_t>(nearest_[i])];
      if (seed.face) continue;
      const int x = static_cast<int>(first.x + static_cast<double>(i) * step);
      out[i] = IsMarked(seed, x, static_cast<int>(first.y)) ? prior_at_.head
                                                            : prior_at_.BelowHead(u_[i], v_[i]);
    }
  }

  std::span<const Seed> seeds_;
  PriorAt prior_at_;
  // For each pixel: its coordinates relative to the nearest seed, the squared distance, and the
  // index of that seed.
  std::vector<float> u_, v_, squared_;
  std::vector<int> nearest_;
};

}  // namespace

cv::Mat SpatialPrior(const cv::Size& to, const cv::Size& from, std::span<const Seed> seeds,
                     const SpatialPriorOptions& options) {
  const double width = static_cast<double>(from.width) / to.width;
  const double height = static_cast<double>(from.height) / to.height;
  cv::Mat prior(to, CV_32FC1);
  PriorRows rows(seeds, options, static_cast<std::size_t>(to.width));
  for (int j = 0; j < to.height; ++j)
    rows.Row({0.5 * width, (j + 0.5) * height}, width, prior.ptr<float>(j));
  return prior;
}

}  // namespace skinmask
