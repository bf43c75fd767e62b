#include "detect/adapt/scene_cut.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace skinmask {
namespace {

// Of two photographs of ECU or 'groups' at most 0.62 and 0.56; of frames that a camera turned by a
// sixteenth of their width the colours are 0.93 and more, and where a light of 0.7 stops is
// switched on the places are 0.95 and more.
constexpr double kLeastCorrelation = 0.7, kLeastShared = 0.75;

// Of all three channels, each less its mean; 0 where one of both is flat.
double CorrelationOf(const cv::Mat& a, const cv::Mat& b) {
  const auto count = static_cast<std::int64_t>(a.total());
  std::array<std::int64_t, 3> sum_a{}, sum_b{};
  std::int64_t aa = 0, bb = 0, ab = 0;
  for (int y = 0; y < a.rows; ++y) {
    const std::uint8_t *const row_a = a.ptr(y), *const row_b = b.ptr(y);
    for (int i = 0; i < 3 * a.cols; ++i) {
      const std::int64_t p = row_a[i], q = row_b[i];
      sum_a[static_cast<std::size_t>(i % 3)] += p;
      sum_b[static_cast<std::size_t>(i % 3)] += q;
      aa += p * p;
      bb += q * q;
      ab += p * q;
    }
  }
  aa *= count, bb *= count, ab *= count;
  for (std::size_t c = 0; c < 3; ++c) {
    aa -= sum_a[c] * sum_a[c];
    bb -= sum_b[c] * sum_b[c];
    ab -= sum_a[c] * sum_b[c];
  }
  if (aa <= 0 || bb <= 0) return 0;
  return static_cast<double>(ab) /
         (std::sqrt(static_cast<double>(aa)) * std::sqrt(static_cast<double>(bb)));
}

// In cubes of 32 levels a side.
std::array<std::int32_t, 512> HistogramOf(const cv::Mat& bgr) {
  std::array<std::int32_t, 512> histogram{};
  for (int y = 0; y < bgr.rows; ++y) {
    const std::uint8_t* p = bgr.ptr(y);
    for (int x = 0; x < bgr.cols; ++x, p += 3)
      ++histogram[static_cast<std::size_t>(p[0] >> 5 << 6 | p[1] >> 5 << 3 | p[2] >> 5)];
  }
  return histogram;
}

// The share of the colours of one that the other has.
double SharedColors(const cv::Mat& a, const cv::Mat& b) {
  const auto of_a = HistogramOf(a), of_b = HistogramOf(b);
  std::int64_t shared = 0;
  for (std::size_t i = 0; i < of_a.size(); ++i) shared += std::min(of_a[i], of_b[i]);
  return static_cast<double>(shared) / static_cast<double>(a.total());
}

}  // namespace

bool IsCut(const TrackingFrame& before, const TrackingFrame& now) {
  if (before.size != now.size) return true;
  return CorrelationOf(before.coarse, now.coarse) < kLeastCorrelation &&
         SharedColors(before.small_bgr, now.small_bgr) < kLeastShared;
}

}  // namespace skinmask
