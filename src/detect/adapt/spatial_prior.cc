#include "detect/adapt/spatial_prior.h"

#include <algorithm>
#include <cmath>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "detect/adapt/spatial_prior.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "base/exp_log-inl.h"

#ifndef SKINMASK_SPATIAL_PRIOR_ONCE
#define SKINMASK_SPATIAL_PRIOR_ONCE
namespace skinmask {
namespace {

// Widths of the transitions at the head's border and at the chin, and where the chin is. All
// lengths are in sizes of the face: u to the right of the centre, v down.
constexpr float kHeadBlur = 0.1f, kChin = 0.5f, kChinBlur = 0.15f;

// A row of pixels seen from a seed: the first one, and what each further one adds.
struct SeedRow {
  float u, v, u_step, v_step, index;
};

// Of each pixel of a row, with room for a vector beyond its end: the squared distance from the
// nearest seed, the place seen from it, and which one it is.
struct NearestSeeds {
  float *squared, *u, *v, *index;
};

}  // namespace
}  // namespace skinmask
#endif

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace {

void NearestRow(const SeedRow& seed, std::size_t count, const NearestSeeds& nearest) {
  const FloatTag tag;
  for (std::size_t i = 0; i < count; i += kLanes) {
    const Floats x = hn::Iota(tag, static_cast<float>(i));
    const Floats u = hn::Add(Float(seed.u), hn::Mul(Float(seed.u_step), x));
    const Floats v = hn::Add(Float(seed.v), hn::Mul(Float(seed.v_step), x));
    const Floats squared = hn::Add(hn::Mul(u, u), hn::Mul(v, v));
    const Floats least = hn::LoadU(tag, nearest.squared + i);
    const auto nearer = hn::Lt(squared, least);
    const auto put = [&](Floats value, float* row) {
      hn::StoreU(hn::IfThenElse(nearer, value, hn::LoadU(tag, row + i)), tag, row + i);
    };
    put(u, nearest.u);
    put(v, nearest.v);
    put(Float(seed.index), nearest.index);
    hn::StoreU(hn::Min(squared, least), tag, nearest.squared + i);
  }
}

HWY_INLINE Floats Logistic(Floats z) {
  constexpr float kLog2E = 0x1.715476p+0f;
  return hn::Div(Float(1), hn::Add(Float(1), Exp2(hn::Mul(z, Float(-kLog2E)))));
}

HWY_INLINE Floats BeyondOne(Floats x) { return hn::Max(hn::Sub(hn::Abs(x), Float(1)), Float(0)); }

HWY_INLINE Floats BelowHead(Floats u, Floats v, const SpatialPriorOptions& o) {
  const Floats beyond = hn::Add(BeyondOne(u), BeyondOne(v));
  const Floats counted = hn::Min(beyond, Float(static_cast<float>(o.max_decay_widths)));
  return hn::Sub(Float(static_cast<float>(o.below)),
                 hn::Mul(Float(static_cast<float>(o.decay_per_face_width)), counted));
}

HWY_INLINE Floats Blended(Floats share, Floats a, Floats b) {
  return hn::Add(hn::Mul(share, a), hn::Mul(hn::Sub(Float(1), share), b));
}

HWY_INLINE Floats AroundFace(Floats u, Floats v, const SpatialPriorOptions& o) {
  const Floats x = hn::Mul(u, Float(static_cast<float>(1 / o.head_half_width)));
  const Floats y = hn::Mul(hn::Sub(v, Float(static_cast<float>(kHeadCentre))),
                           Float(static_cast<float>(1 / o.head_half_height)));
  const Floats radius = hn::Sqrt(hn::Add(hn::Mul(x, x), hn::Mul(y, y)));
  const Floats head = Logistic(hn::Mul(hn::Sub(Float(1), radius), Float(1 / kHeadBlur)));
  const Floats below = Logistic(hn::Mul(hn::Sub(v, Float(kChin)), Float(1 / kChinBlur)));
  const Floats beside = Blended(below, BelowHead(u, v, o), Float(static_cast<float>(o.above)));
  return Blended(head, Float(static_cast<float>(o.head)), beside);
}

template <bool kFace>
void ValueRow(const float* u, const float* v, std::size_t count, const SpatialPriorOptions& o,
              float* value) {
  const FloatTag tag;
  for (std::size_t i = 0; i < count; i += kLanes) {
    const Floats x = hn::LoadU(tag, u + i), y = hn::LoadU(tag, v + i);
    hn::StoreU(kFace ? AroundFace(x, y, o) : BelowHead(x, y, o), tag, value + i);
  }
}

constexpr auto& FaceRow = ValueRow<true>;
constexpr auto& RegionRow = ValueRow<false>;

}  // namespace
}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skinmask {

HWY_EXPORT(NearestRow);
HWY_EXPORT(FaceRow);
HWY_EXPORT(RegionRow);

namespace {

constexpr std::size_t kMaxLanes = 16;

bool IsMarked(const Seed& seed, int x, int y) {
  return seed.box.contains({x, y}) &&
         (seed.skin.empty() || seed.skin.at<std::uint8_t>(y - seed.box.y, x - seed.box.x) != 0);
}

// In sizes of the face, or in widths and heights of a region.
cv::Point2d FromSeed(const Seed& seed, const cv::Point2d& point) {
  if (seed.face) return seed.face->FromImage(point);
  return {(point.x - seed.box.x) / seed.box.width - 0.5,
          (point.y - seed.box.y) / seed.box.height - 0.5};
}

SeedRow RowFrom(const Seed& seed, std::size_t index, const cv::Point2d& first, double step) {
  const cv::Point2d from = FromSeed(seed, first);
  const cv::Point2d to = FromSeed(seed, first + cv::Point2d(step, 0)) - from;
  const auto rounded = [](double x) { return static_cast<float>(x); };
  return {rounded(from.x), rounded(from.y), rounded(to.x), rounded(to.y),
          static_cast<float>(index)};
}

// The rows of a small image in which a pixel is `step` pixels of the seeds' image.
class PriorRows {
 public:
  PriorRows(std::span<const Seed> seeds, const SpatialPriorOptions& options, std::size_t width)
      : seeds_(seeds), options_(options), width_(width), values_(6 * (width + kMaxLanes)) {
    any_region_ = std::ranges::any_of(seeds, [](const Seed& seed) { return !seed.face; });
  }

  // Of the row whose first pixel lies at `first`.
  void Row(const cv::Point2d& first, double step, float* out) {
    const NearestSeeds nearest{Buffer(0), Buffer(1), Buffer(2), Buffer(3)};
    std::fill_n(nearest.squared, width_, HUGE_VALF);
    for (std::size_t i = 0; i < seeds_.size(); ++i)
      HWY_DYNAMIC_DISPATCH(NearestRow)(RowFrom(seeds_[i], i, first, step), width_, nearest);
    HWY_DYNAMIC_DISPATCH(FaceRow)(nearest.u, nearest.v, width_, options_, Buffer(4));
    if (any_region_) Regions(nearest, first, step);
    std::copy_n(Buffer(4), width_, out);
  }

 private:
  float* Buffer(std::size_t i) { return values_.data() + i * (width_ + kMaxLanes); }

  void Regions(const NearestSeeds& nearest, const cv::Point2d& first, double step) {
    HWY_DYNAMIC_DISPATCH(RegionRow)(nearest.u, nearest.v, width_, options_, Buffer(5));
    for (std::size_t i = 0; i < width_; ++i) {
      const Seed& seed = seeds_[static_cast<std::size_t>(nearest.index[i])];
      if (seed.face) continue;
      const int x = static_cast<int>(first.x + static_cast<double>(i) * step);
      Buffer(4)[i] = IsMarked(seed, x, static_cast<int>(first.y))
                         ? static_cast<float>(options_.head)
                         : Buffer(5)[i];
    }
  }

  std::span<const Seed> seeds_;
  const SpatialPriorOptions& options_;
  std::size_t width_;
  std::vector<float> values_;
  bool any_region_;
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
#endif
