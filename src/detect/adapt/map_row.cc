#include <algorithm>
#include <cmath>

#include "detect/adapt/adapted_rows.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "base/pixels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace {

// Interpolates from the first row towards the second by `share`.
void Between(const float* first, const float* second, float share, std::size_t count, float* out) {
  const FloatTag tag;
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const Floats from = hn::LoadU(tag, first + i);
    const Floats way = hn::Sub(hn::LoadU(tag, second + i), from);
    hn::StoreU(hn::Add(from, hn::Mul(Float(share), way)), tag, out + i);
  }
  for (; i < count; ++i) out[i] = first[i] + share * (second[i] - first[i]);
}

// Interpolates between `count` values: `side` values from each to the next. A vector may be longer
// than that; the next values overwrite the surplus.
template <class Tag>
void RampsOf(Tag tag, const float* middles, std::size_t count, const float* steps, std::size_t side,
             float* out) {
  for (std::size_t i = 0; i + 1 < count; ++i, out += side) {
    const auto first = hn::Set(tag, middles[i]);
    const auto difference = hn::Set(tag, middles[i + 1] - middles[i]);
    for (std::size_t k = 0; k < side; k += hn::Lanes(tag))
      hn::StoreU(hn::Add(first, hn::Mul(difference, hn::LoadU(tag, steps + k))), tag, out + k);
  }
}

// With vectors that are not much longer than `side`.
void Ramps(const float* middles, std::size_t count, const float* steps, std::size_t side,
           float* out) {
  if (side <= 4)
    RampsOf(hn::CappedTag<float, 4>(), middles, count, steps, side, out);
  else if (side <= 8)
    RampsOf(hn::CappedTag<float, 8>(), middles, count, steps, side, out);
  else
    RampsOf(FloatTag(), middles, count, steps, side, out);
}

}  // namespace
}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skinmask {
namespace {

constexpr int kMaxLanes = 16;  // a vector may write this far beyond

}  // namespace

MapRows::MapRows(cv::Mat map, int side) : map_(std::move(map)), side_(side) {
  // The first pixel at or after the centre of a cell is at it, or half a pixel after it.
  const double first = side % 2 == 0 ? 0.5 : 0;
  for (int k = 0; k < side + kMaxLanes; ++k)
    steps_.push_back(static_cast<float>((k + first) / side));
}

float* MapRows::Row(int y, int first, int count, std::vector<float>& buffer) const {
  if (side_ == 1) {
    buffer.resize(static_cast<std::size_t>(count + kMaxLanes));
    std::copy_n(map_.ptr<float>(y) + first, count, buffer.data());
    return buffer.data();
  }
  const double at = (y + 0.5) / side_ - 0.5, above = std::floor(at);
  const int row = static_cast<int>(above);
  const float* const upper = map_.ptr<float>(std::clamp(row, 0, map_.rows - 1));
  const float* const lower = map_.ptr<float>(std::clamp(row + 1, 0, map_.rows - 1));
  const auto share = static_cast<float>(at - above);
  // The values at the centres of the pixels' cells, and of the cell before and after these. Beyond
  // the map's ends its outermost values are repeated.
  const int begin = first / side_ - 1, end = (first + count - 1) / side_ + 2;
  const int within = std::max(begin, 0), cells = std::min(end, map_.cols) - within;
  buffer.resize(static_cast<std::size_t>((end - begin) * (1 + side_) + kMaxLanes));
  float* const middles = buffer.data();
  SKINMASK_DISPATCH(Between)
  (upper + within, lower + within, share, static_cast<std::size_t>(cells),
   middles + within - begin);
  if (begin < within) middles[0] = middles[1];
  for (int i = within - begin + cells; i < end - begin; ++i) middles[i] = middles[i - 1];
  float* const out = middles + end - begin;
  SKINMASK_DISPATCH(Ramps)
  (middles, static_cast<std::size_t>(end - begin), steps_.data(), static_cast<std::size_t>(side_),
   out);
  // The ramps begin at the centre of cell `begin`: the first pixel at or after it.
  return out + first - (begin * side_ + side_ / 2);
}

}  // namespace skinmask
#endif
