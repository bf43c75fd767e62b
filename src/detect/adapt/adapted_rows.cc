#include "detect/adapt/adapted_rows.h"

#include <cmath>
#include <cstring>
#include <opencv2/imgproc.hpp>

#include "detect/log_odds_rows.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "detect/adapt/adapted_colors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace {

// The bytes of one channel for a vector of pixels.
using ChannelTag = hn::Rebind<std::uint8_t, IntTag>;

HWY_INLINE Floats Calibrated(const OutputSide& side, Floats distance) {
  Floats offset = Float(side.offset[0]), slope = Float(side.slope[0]);
  for (std::size_t k = 1; k < side.lines; ++k) {
    const auto beyond = hn::Ge(distance, Float(side.from[k]));
    offset = hn::IfThenElse(beyond, Float(side.offset[k]), offset);
    slope = hn::IfThenElse(beyond, Float(side.slope[k]), slope);
  }
  return hn::Add(offset, hn::Mul(slope, distance));
}

HWY_INLINE Floats Towards(Floats expected, float slack, Floats sum) {
  const Floats away = hn::Sub(sum, expected);
  return hn::Sub(sum, hn::Min(hn::Max(away, Float(-slack)), Float(slack)));
}

// What the maps add to the vector of pixels at column i.
HWY_INLINE Floats GainOf(const PlaceRow& place, std::size_t i, const std::uint8_t* bgr) {
  const FloatTag tag;
  hn::Vec<ChannelTag> b, g, r;
  hn::LoadInterleaved3(ChannelTag(), bgr, b, g, r);
  const auto of = [&](std::size_t c, hn::Vec<ChannelTag> bytes) {
    return hn::Mul(hn::LoadU(tag, place.slope[c] + i),
                   hn::ConvertTo(tag, hn::PromoteTo(IntTag(), bytes)));
  };
  return hn::Add(hn::Add(hn::LoadU(tag, place.offset + i), of(0, b)), hn::Add(of(1, g), of(2, r)));
}

// Adds what the slopes give for the pixels' colours to the offset. The maps have room for a vector
// beyond their end; the pixels do not.
void AddSlopes(const PlaceRow& place, const std::uint8_t* bgr, std::size_t count) {
  const FloatTag tag;
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    hn::StoreU(GainOf(place, i, bgr + 3 * i), tag, place.offset + i);
  if (i == count) return;
  std::uint8_t rest[3 * kLanes] = {};
  std::memcpy(rest, bgr + 3 * i, 3 * (count - i));
  hn::StoreU(GainOf(place, i, rest), tag, place.offset + i);
}

// Adds the offset to z, moves the sum towards the expected one, and calibrates it. All have room
// for a vector beyond their end.
void AddPlaceRow(const PlaceRow& place, const OutputScale& scale, std::size_t count, float* z) {
  const FloatTag tag;
  for (std::size_t i = 0; i < count; i += kLanes) {
    Floats sum = hn::Add(hn::LoadU(tag, z + i), hn::LoadU(tag, place.offset + i));
    if (place.expected) sum = Towards(hn::LoadU(tag, place.expected + i), place.slack, sum);
    const Floats distance = hn::Abs(sum);
    const Floats calibrated =
        hn::IfThenElse(hn::Gt(sum, Float(0)), Calibrated(scale.above, distance),
                       hn::Neg(Calibrated(scale.below, distance)));
    hn::StoreU(hn::Add(calibrated, Float(scale.shift)), tag, z + i);
  }
}

// Writes the columns, below `count`, of the pixels whose log-odds are in low..high; returns their
// number.
std::size_t PlacesBetween(const float* z, float low, float high, std::size_t count,
                          std::uint32_t* places) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; i += kLanes) {
    const Floats x = hn::LoadU(FloatTag(), z + i);
    const auto between = hn::And(hn::Ge(x, Float(low)), hn::Le(x, Float(high)));
    if (hn::AllFalse(FloatTag(), between)) continue;
    const Words place = hn::Iota(WordTag(), static_cast<std::uint32_t>(i));
    const auto within = hn::Lt(place, Word(static_cast<std::uint32_t>(count)));
    const auto chosen = hn::And(hn::RebindMask(WordTag(), between), within);
    found += hn::CompressStore(place, chosen, WordTag(), places + found);
  }
  return found;
}

}  // namespace
}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skinmask {
namespace {

constexpr std::size_t kMaxLanes = 16;  // a vector may reach this far beyond a row
constexpr float kSure = 6.3f;          // log-odds beyond which 255 P is within 1/2 of 0 or 255
// Cells are far from skin if they and the eight around them are below -kFar, which bounds the sums
// of their pixels, too. With it, F1 of no set of data was lower (docs/adaptation.md).
constexpr float kFar = 4;

struct Buffers {
  std::vector<float> z, offset, expected;
  std::array<std::vector<float>, 3> slope;
  std::vector<std::uint32_t> places;
};

Buffers& BuffersFor(std::size_t width) {
  thread_local Buffers buffers;
  buffers.z.resize(width + kMaxLanes);
  buffers.places.resize(width + kMaxLanes);
  return buffers;
}

}  // namespace

cv::Mat FarCells(const cv::Mat& z) {
  constexpr int kShortest = 8;  // cells; shorter parts of rows would take longer
  cv::Mat around;
  cv::dilate(z, around, cv::Mat());
  cv::Mat far = around < -kFar;
  for (int y = 0; y < far.rows; ++y) {
    std::uint8_t *const row = far.ptr(y), *const end = row + far.cols;
    for (std::uint8_t *first = std::find(row, end, 255), *last = first; first != end;
         first = std::find(last, end, 255)) {
      last = std::find(first, end, 0);
      if (last - first < kShortest) std::fill_n(first, last - first, std::uint8_t{0});
    }
  }
  return far;
}

AdaptedRows::AdaptedRows(const ColorJudge& judge, const Adaptation& maps, int side,
                         const OutputScale& scale)
    : judge_(judge),
      offset_(maps.offset, side),
      maps_(maps),
      side_(side),
      scale_(scale),
      cap_(scale(-kFar)) {
  for (const cv::Mat& slope : maps.slope)
    if (!slope.empty()) slope_.emplace_back(slope, side);
  if (!maps.expected.empty()) expected_.emplace(maps.expected, side);
  weights_.local = static_cast<float>(judge.local_weight);
  weights_.most = static_cast<float>(judge.global_weight * judge.most);
  // Estimate and Evaluate differ by the errors of both, of at most 9 and 7 roundings; ErrorBound is
  // that of 7.
  constexpr double kBoth = (9 + 7) / 7.;
  double error = judge.local ? judge.local_weight * judge.local->ErrorBound() : 0;
  if (judge.folded) error += judge.global_weight * judge.folded->ErrorBound();
  margin_ = 0.01 + kBoth * error;
  if (!judge.folded) return;
  Quadratic beyond_own = *judge.folded;
  beyond_own.constant -= judge.own_log_odds;
  weights_.global = FloatQuadratic(beyond_own, judge.global_weight);
}

// Adds the global log-odds of a model that is not one quadratic.
void AdaptedRows::AddGlobal(const std::uint8_t* bgr, std::size_t count, float* z) const {
  if (judge_.folded) return;
  thread_local std::vector<float> global;
  global.resize(count);
  judge_.global.LogOddsRow(bgr, count, global.data());
  const auto weight = static_cast<float>(judge_.global_weight);
  const auto own = static_cast<float>(judge_.own_log_odds);
  for (std::size_t x = 0; x < count; ++x)
    z[x] += std::clamp(weight * (global[x] - own), -weights_.most, weights_.most);
}

template <class Of>
void AdaptedRows::ForParts(int y, int width, const Of& of) const {
  if (maps_.far.empty()) return of(Part{y, 0, width}, false);
  const cv::Mat& far = maps_.far;
  const std::uint8_t* const cells = far.ptr(std::min(y / side_, far.rows - 1));
  for (int first = 0, last = 0; first < far.cols; first = last) {
    while (last < far.cols && cells[last] == cells[first]) ++last;
    const int end = last == far.cols ? width : last * side_;
    of(Part{y, first * side_, end - first * side_}, cells[first] != 0);
  }
}

PlaceRow AdaptedRows::PlaceOf(const std::uint8_t* bgr, Part part) const {
  const auto [y, first, width] = part;
  Buffers& buffers = BuffersFor(static_cast<std::size_t>(width));
  PlaceRow place;
  for (std::size_t c = 0; c < slope_.size(); ++c)
    place.slope[c] = slope_[c].Row(y, first, width, buffers.slope[c]);
  place.offset = offset_.Row(y, first, width, buffers.offset);
  place.expected = expected_ ? expected_->Row(y, first, width, buffers.expected) : nullptr;
  place.slack = static_cast<float>(maps_.slack);
  if (place.slope[0]) SKINMASK_DISPATCH(AddSlopes)(place, bgr, static_cast<std::size_t>(width));
  return place;
}

void AdaptedRows::CapFar(int y, int width, float* z) const {
  ForParts(y, width, [&](Part part, bool is_far) {
    if (!is_far) return;
    for (float *at = z + part.first, *const end = at + part.width; at < end; ++at)
      *at = std::min(*at, cap_);
  });
}

float* AdaptedRows::WholeRow(const std::uint8_t* bgr, Part part) const {
  const auto count = static_cast<std::size_t>(part.width);
  float* const z = BuffersFor(count).z.data();
  if (judge_.local)
    SKINMASK_DISPATCH(FullRow)(judge_.local->View(), weights_, bgr, count, z);
  else
    SKINMASK_DISPATCH(GlobalRow)(weights_, bgr, count, z);
  AddGlobal(bgr, count, z);
  SKINMASK_DISPATCH(AddPlaceRow)(PlaceOf(bgr, part), scale_, count, z);
  return z;
}

void AdaptedRows::LogOddsRow(const std::uint8_t* bgr, int width, int y, float* out) const {
  std::copy_n(WholeRow(maps_.InLight(bgr, width), {y, 0, width}), width, out);
  CapFar(y, width, out);
}

// Evaluates all Gaussians for the pixels at some places of a row. These pixels are gathered first,
// because where they are they do not fill vectors.
void AdaptedRows::EvaluateAll(const std::uint8_t* bgr, const PlaceRow& place,
                              std::span<const std::uint32_t> places, float* z) const {
  thread_local std::vector<std::uint8_t> colors;
  thread_local std::vector<float> found;
  colors.resize(3 * places.size());
  found.resize(places.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    std::copy_n(bgr + 3 * places[i], 3, &colors[3 * i]);
  SKINMASK_DISPATCH(FullRow)
  (judge_.local->View(), weights_, colors.data(), places.size(), found.data());
  AddGlobal(colors.data(), places.size(), found.data());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::uint32_t x = places[i];
    float sum = found[i] + place.offset[x];
    if (place.expected) sum -= std::clamp(sum - place.expected[x], -place.slack, place.slack);
    z[x] = scale_(sum);
  }
}

// A sum of n terms, the greatest of them 1, is at most n. So for most pixels the likeliest Gaussian
// of each class decides, and the others are not evaluated. Moving the sum towards the expected one
// does not increase the difference.
float* AdaptedRows::RowBetween(const std::uint8_t* bgr, Part part, float low, float high) const {
  // In a wider range lie half of a photograph's pixels; evaluating all Gaussians for all is then
  // faster.
  constexpr float kWide = 20;
  if (!judge_.local || scale_.Inverse(high) - scale_.Inverse(low) + 2 * margin_ > kWide)
    return WholeRow(bgr, part);
  const MixtureView local = judge_.local->View();
  const auto count = static_cast<std::size_t>(part.width);
  Buffers& buffers = BuffersFor(count);
  float* const z = buffers.z.data();
  const PlaceRow place = PlaceOf(bgr, part);
  const auto gain = [&](std::size_t terms) {
    return static_cast<float>(judge_.local_weight * std::log(static_cast<double>(terms)) + margin_);
  };
  const float least = scale_.Inverse(low) - gain(local.positives);
  const float most = scale_.Inverse(high) + gain(local.count - local.positives);
  SKINMASK_DISPATCH(LeadRow)
  (local, weights_, bgr, count, place.offset,
   least - (place.expected ? place.slack : 0) - (judge_.folded ? 0 : weights_.most), z);
  AddGlobal(bgr, count, z);
  // For a threshold alone, sums are as good as calibrated log-odds: the pixels near it are
  // evaluated again.
  const OutputScale scale = low == high ? OutputScale({}, low - scale_.Inverse(low)) : scale_;
  SKINMASK_DISPATCH(AddPlaceRow)(place, scale, count, z);
  const std::size_t open =
      SKINMASK_DISPATCH(PlacesBetween)(z, scale(least), scale(most), count, buffers.places.data());
  EvaluateAll(bgr, place, {buffers.places.data(), open}, z);
  return z;
}

void AdaptedRows::JudgeRow(const std::uint8_t* bgr, int width, int y, double threshold_log_odds,
                           std::uint8_t* mask, std::uint8_t* probability) const {
  const auto threshold = static_cast<float>(threshold_log_odds);
  float low = std::isinf(threshold) ? 0 : threshold, high = low;  // no pixel is near infinity
  if (!probability && threshold >= cap_) {
    ForParts(y, width, [&](Part part, bool is_far) {
      std::uint8_t* const out = mask + part.first;
      const auto count = static_cast<std::size_t>(part.width);
      if (is_far) {
        std::fill_n(out, count, std::uint8_t{0});
        return;
      }
      const std::uint8_t* const colors = maps_.InLight(bgr + 3 * part.first, part.width);
      MaskRowOf(RowBetween(colors, part, low, high), count, threshold, out);
    });
    return;
  }
  if (probability) low = std::min(-kSure, mask ? low : -kSure);
  if (probability) high = std::max(kSure, mask ? high : kSure);
  float* const z = RowBetween(maps_.InLight(bgr, width), {y, 0, width}, low, high);
  CapFar(y, width, z);
  const auto count = static_cast<std::size_t>(width);
  if (mask) MaskRowOf(z, count, threshold, mask);
  if (probability) ProbabilityRowOf(z, count, probability);
}

}  // namespace skinmask
#endif
