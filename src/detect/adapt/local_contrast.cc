#include "detect/adapt/resample.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace skinmask {
namespace {

constexpr int kTiles = 8;  // along each side
constexpr int kLimit = 3;  // the greatest slope, relative to a uniform histogram's

using Curve = std::array<std::uint8_t, 256>;  // the new level of each level

// Counts above the limit are distributed evenly over all levels.
Curve CurveOf(const cv::Mat& tile) {
  std::array<int, 256> counts{};
  for (int y = 0; y < tile.rows; ++y)
    for (int x = 0; x < tile.cols; ++x) ++counts[tile.at<std::uint8_t>(y, x)];
  const int area = tile.rows * tile.cols, limit = std::max(kLimit * area / 256, 1);
  int excess = 0;
  for (int& count : counts) {
    excess += std::max(count - limit, 0);
    count = std::min(count, limit);
  }
  Curve curve{};
  std::int64_t below = 0;
  for (int level = 0; level < 256; ++level) {
    below += counts[static_cast<std::size_t>(level)];
    const std::int64_t with_excess = below + static_cast<std::int64_t>(excess) * (level + 1) / 256;
    curve[static_cast<std::size_t>(level)] =
        static_cast<std::uint8_t>((255 * with_excess + area / 2) / area);
  }
  return curve;
}

// The two tiles between whose centres a row or column lies, and its distance from the first in
// 256ths.
struct Between {
  int first, second, share;
};

std::vector<Between> PlacesOf(int size) {
  constexpr int kOne = 256;
  std::vector<Between> places;
  for (std::int64_t i = 0; i < size; ++i) {
    const auto place = static_cast<int>((2 * i + 1) * kTiles * kOne / (2 * size)) + kOne / 2;
    const int tile = place / kOne - 1;  // the middle of the first one is at kOne
    places.push_back({std::max(tile, 0), std::min(tile + 1, kTiles - 1), place % kOne});
  }
  return places;
}

}  // namespace

cv::Mat Equalized(const cv::Mat& grey) {
  if (std::min(grey.rows, grey.cols) < kTiles) return grey;
  std::vector<Curve> curves;
  for (int j = 0; j < kTiles; ++j)
    for (int i = 0; i < kTiles; ++i) {
      const cv::Point first(grey.cols * i / kTiles, grey.rows * j / kTiles);
      const cv::Point last(grey.cols * (i + 1) / kTiles, grey.rows * (j + 1) / kTiles);
      curves.push_back(CurveOf(grey(cv::Rect(first, last))));
    }
  const std::vector<Between> rows = PlacesOf(grey.rows), columns = PlacesOf(grey.cols);
  cv::Mat out(grey.size(), CV_8UC1);
  for (int y = 0; y < grey.rows; ++y) {
    const Between& row = rows[static_cast<std::size_t>(y)];
    const Curve* const upper = &curves[static_cast<std::size_t>(row.first * kTiles)];
    const Curve* const lower = &curves[static_cast<std::size_t>(row.second * kTiles)];
    for (int x = 0; x < grey.cols; ++x) {
      const auto& [left, right, share] = columns[static_cast<std::size_t>(x)];
      const std::uint8_t level = grey.at<std::uint8_t>(y, x);
      const int above = upper[left][level] * (256 - share) + upper[right][level] * share;
      const int below = lower[left][level] * (256 - share) + lower[right][level] * share;
      out.at<std::uint8_t>(y, x) = static_cast<std::uint8_t>(
          (above * (256 - row.share) + below * row.share + (1 << 15)) >> 16);
    }
  }
  return out;
}

}  // namespace skinmask
