#include "detect/adapt/box_rows.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "detect/adapt/box_rows.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "base/exp_log-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace {

HWY_INLINE Floats At(const float* row, std::size_t i) { return hn::LoadU(FloatTag(), row + i); }
HWY_INLINE void Put(Floats value, float* row, std::size_t i) {
  hn::StoreU(value, FloatTag(), row + i);
}

void AddTo(float* sums, const float* row, std::size_t count) {
  for (std::size_t i = 0; i < count; i += kLanes) Put(hn::Add(At(sums, i), At(row, i)), sums, i);
}

void TakeFrom(float* sums, const float* row, std::size_t count) {
  for (std::size_t i = 0; i < count; i += kLanes) Put(hn::Sub(At(sums, i), At(row, i)), sums, i);
}

// Sums of `window` values from each place on, times the scales. `values` goes on for `window` and
// two vectors beyond the end. Sums of four first: a quarter of the terms are left then.
void WindowRow(const float* values, std::size_t window, const float* scales, float scale,
               std::size_t count, float* fours, float* out) {
  for (std::size_t i = 0; i < count + window; i += kLanes)
    Put(hn::Add(hn::Add(At(values, i), At(values, i + 1)),
                hn::Add(At(values, i + 2), At(values, i + 3))),
        fours, i);
  const std::size_t whole = window / 4 * 4;
  for (std::size_t i = 0; i < count; i += kLanes) {
    Floats sum = Float(0);
    for (std::size_t k = 0; k < whole; k += 4) sum = hn::Add(sum, At(fours, i + k));
    for (std::size_t k = whole; k < window; ++k) sum = hn::Add(sum, At(values, i + k));
    Put(hn::Mul(sum, hn::Mul(At(scales, i), Float(scale))), out, i);
  }
}

// 1 - 2 / (1 + e^z)
void TanhRow(const float* z, const float* grey, std::size_t count, float* label,
             float* grey_label) {
  constexpr float kMax = 8, kLog2E = 0x1.715476p+0f;  // beyond it one is as sure as can be
  for (std::size_t i = 0; i < count; i += kLanes) {
    const Floats x = hn::Min(hn::Max(At(z, i), Float(-kMax)), Float(kMax));
    const Floats e = Exp2(hn::Mul(x, Float(kLog2E)));
    const Floats tanh = hn::Sub(Float(1), hn::Div(Float(2), hn::Add(Float(1), e)));
    Put(tanh, label, i);
    Put(hn::Mul(tanh, At(grey, i)), grey_label, i);
  }
}

void LeastSquaresRow(const WindowMeans& m, std::size_t count, float* slope, float* offset) {
  for (std::size_t i = 0; i < count; i += kLanes) {
    const Floats label = At(m.label, i), grey = At(m.grey, i);
    const Floats covariance = hn::Sub(At(m.grey_label, i), hn::Mul(grey, label));
    const Floats a = hn::Mul(covariance, At(m.inverse_variance, i));
    Put(a, slope, i);
    Put(hn::Sub(label, hn::Mul(a, grey)), offset, i);
  }
}

void AddMessageRow(float* z, const float* grey, const float* slope, const float* offset,
                   float weight, std::size_t count) {
  for (std::size_t i = 0; i < count; i += kLanes) {
    const Floats message = hn::Add(hn::Mul(At(slope, i), At(grey, i)), At(offset, i));
    Put(hn::Add(At(z, i), hn::Mul(Float(weight), message)), z, i);
  }
}

}  // namespace
}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skinmask {

HWY_EXPORT(AddTo);
HWY_EXPORT(TakeFrom);
HWY_EXPORT(WindowRow);
HWY_EXPORT(TanhRow);
HWY_EXPORT(LeastSquaresRow);
HWY_EXPORT(AddMessageRow);

namespace {

constexpr std::size_t kMaxLanes = 16;

// Pixels of a side of `size` within `radius` of the place.
int Within(int place, int radius, int size) {
  return std::min(place + radius, size - 1) - std::max(place - radius, 0) + 1;
}

}  // namespace

BoxMean::BoxMean(const Plane& plane, int radius) : plane_(plane), radius_(radius) {
  const auto width = static_cast<std::size_t>(plane.width());
  const auto window = static_cast<std::size_t>(2 * radius + 1);
  columns_.resize(width + 2 * window + 2 * kMaxLanes);
  fours_.resize(columns_.size());
  column_counts_.resize(width + kMaxLanes);
  for (int x = 0; x < plane.width(); ++x)
    column_counts_[static_cast<std::size_t>(x)] =
        1.f / static_cast<float>(Within(x, radius, plane.width()));
  for (int y = 0; y < std::min(radius, plane.height()); ++y)
    HWY_DYNAMIC_DISPATCH(AddTo)(columns_.data() + radius, plane.Row(y), width);
}

void BoxMean::NextRow(float* out) {
  const auto width = static_cast<std::size_t>(plane_.width());
  const int y = next_++, height = plane_.height();
  float* const columns = columns_.data() + radius_;
  if (y + radius_ < height) HWY_DYNAMIC_DISPATCH(AddTo)(columns, plane_.Row(y + radius_), width);
  if (y > radius_) HWY_DYNAMIC_DISPATCH(TakeFrom)(columns, plane_.Row(y - radius_ - 1), width);
  std::fill_n(columns + width, kMaxLanes, 0.f);
  HWY_DYNAMIC_DISPATCH(WindowRow)
  (columns_.data(), static_cast<std::size_t>(2 * radius_ + 1), column_counts_.data(),
   1.f / static_cast<float>(Within(y, radius_, height)), width, fours_.data(), out);
}

void LabelRow(const float* z, const float* grey, std::size_t count, float* label,
              float* grey_label) {
  HWY_DYNAMIC_DISPATCH(TanhRow)(z, grey, count, label, grey_label);
}

void LineRow(const WindowMeans& means, std::size_t count, float* slope, float* offset) {
  HWY_DYNAMIC_DISPATCH(LeastSquaresRow)(means, count, slope, offset);
}

void AddMessageTo(float* z, const float* grey, const float* slope, const float* offset,
                  float weight, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(AddMessageRow)(z, grey, slope, offset, weight, count);
}

}  // namespace skinmask
#endif
