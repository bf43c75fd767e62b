#include "skinmask/detect/region.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "media/picture_type.h"

namespace skinmask {
namespace {

// The sums of this many pixels of a row fit in 32 bits: 255 * 4096^2 / 2 < 2^32.
constexpr int kBlock = 4096;

// A second central moment, (p pab - pa pb) / p^2, exact except for the last step.
double Central(Int128 p, Int128 pab, Int128 pa, Int128 pb) {
  const auto total = static_cast<double>(p);
  return static_cast<double>(p * pab - pa * pb) / total / total;
}

// The bounding box of the largest connected component above one half, found at about 80,000 pixels;
// absent if the component is smaller than four of them.
std::optional<cv::Rect> LargestComponent(const cv::Mat& map) {
  constexpr double kSearchedPixels = 80000;
  constexpr int kMinPixels = 4;
  const double scale = std::min(1.0, std::sqrt(kSearchedPixels / static_cast<double>(map.total())));
  cv::Mat small, labels, statistics, centroids;
  cv::resize(map, small, SizeTimes(map.size(), scale), 0, 0, cv::INTER_AREA);
  cv::connectedComponentsWithStats(small > 127, labels, statistics, centroids);
  const auto area = [&](int i) { return statistics.at<int>(i, cv::CC_STAT_AREA); };
  int best = 0;
  for (int i = 1; i < statistics.rows; ++i)
    if (best == 0 || area(i) > area(best)) best = i;
  if (best == 0 || area(best) < kMinPixels) return std::nullopt;
  const auto full = [&](int column) {
    return static_cast<int>(statistics.at<int>(best, column) / scale);
  };
  return cv::Rect(full(cv::CC_STAT_LEFT), full(cv::CC_STAT_TOP), full(cv::CC_STAT_WIDTH) + 1,
                  full(cv::CC_STAT_HEIGHT) + 1);
}

// Moves the window to the centroid of its content until it does not move any more.
cv::Rect MeanShift(const cv::Mat& map, cv::Rect window) {
  constexpr int kMaxSteps = 20;
  for (int i = 0; i < kMaxSteps; ++i) {
    const std::optional<Region> region = RegionOf(MapMomentsOf(map, window));
    if (!region) break;
    const cv::Point move(cvRound(region->centroid.x - window.x - (window.width - 1) / 2.0),
                         cvRound(region->centroid.y - window.y - (window.height - 1) / 2.0));
    if (move == cv::Point()) break;
    window += move;
  }
  return window;
}

}  // namespace

MapMoments MapMomentsOf(const cv::Mat& map) {
  return MapMomentsOf(map, {0, 0, map.cols, map.rows});
}

MapMoments MapMomentsOf(const cv::Mat& map, const cv::Rect& within) {
  if (map.empty()) return {};
  RequireType(map, CV_8UC1, "map");
  const cv::Rect window = within & cv::Rect(0, 0, map.cols, map.rows);
  MapMoments moments;
  // The sums of columns give the moments in x. Each row gives its sum, and the sum for the moment x
  // y.
  std::vector<std::uint32_t> columns(static_cast<std::size_t>(window.width));
  for (int y = window.y; y < window.y + window.height; ++y) {
    const std::uint8_t* const row = map.ptr<std::uint8_t>(y) + window.x;
    Int128 sum = 0, first = 0;
    for (int begin = 0; begin < window.width; begin += kBlock) {
      const int count = std::min(kBlock, window.width - begin);
      const std::uint8_t* const bytes = row + begin;
      std::uint32_t* const column = columns.data() + begin;
      std::uint32_t p = 0, px = 0;
      for (int i = 0; i < count; ++i) {
        const std::uint32_t value = bytes[i];
        p += value;
        px += value * static_cast<std::uint32_t>(i);
        column[i] += value;
      }
      sum += p;
      first += px + static_cast<Int128>(p) * (begin + window.x);
    }
    moments.p += sum;
    moments.px += first;
    moments.py += sum * y;
    moments.pyy += sum * y * y;
    moments.pxy += first * y;
  }
  for (int i = 0; i < window.width; ++i) {
    const Int128 x = i + window.x;
    moments.pxx += columns[static_cast<std::size_t>(i)] * x * x;
  }
  return moments;
}

std::optional<Region> RegionOf(const MapMoments& m) {
  if (m.p == 0) return std::nullopt;
  const auto total = static_cast<double>(m.p);
  constexpr double kPixelVariance = 1.0 / 12;  // of a square of side 1
  const double xx = Central(m.p, m.pxx, m.px, m.px) + kPixelVariance;
  const double yy = Central(m.p, m.pyy, m.py, m.py) + kPixelVariance;
  const double xy = Central(m.p, m.pxy, m.px, m.py);
  // Eigenvalues of the covariance are middle +- radius; a filled ellipse's are its semi-axes
  // squared, divided by four.
  const double middle = (xx + yy) / 2;
  const double radius = std::hypot((xx - yy) / 2, xy);
  Region region;
  region.pixels = total / 255;
  region.centroid = {static_cast<double>(m.px) / total, static_cast<double>(m.py) / total};
  region.semi_major = 2 * std::sqrt(middle + radius);
  region.semi_minor = 2 * std::sqrt(std::max(kPixelVariance, middle - radius));
  if (radius > 0) region.angle_degrees = std::atan2(2 * xy, xx - yy) / 2 * 180 / std::numbers::pi;
  if (region.angle_degrees <= -90) region.angle_degrees += 180;  // -90 by rounding
  return region;
}

cv::Rect2d Bounds(const Region& region) {
  const double angle = region.angle_degrees * std::numbers::pi / 180;
  const double c = std::cos(angle), s = std::sin(angle);
  const double x = std::hypot(region.semi_major * c, region.semi_minor * s);
  const double y = std::hypot(region.semi_major * s, region.semi_minor * c);
  return {region.centroid.x - x, region.centroid.y - y, 2 * x, 2 * y};
}

std::optional<Region> RegionTracker::Follow(const cv::Mat& map) {
  // A region is lost if its window holds less than a hundredth of its pixels, or less than nine.
  constexpr double kMinShare = 0.01, kMinPixels = 9;
  // The window is larger than the ellipse on each side, so that it sees the region move and grow:
  // by a tenth of the long axis, and by some pixels for small regions.
  constexpr double kMargin = 0.1, kMarginPixels = 4;
  RequireType(map, CV_8UC1, "map");
  if (!window_) window_ = LargestComponent(map);
  if (!window_) return std::nullopt;
  const cv::Rect window = MeanShift(map, *window_) & cv::Rect(0, 0, map.cols, map.rows);
  const std::optional<Region> region = RegionOf(MapMomentsOf(map, window));
  window_.reset();
  if (!region || region->pixels < std::max(kMinPixels, kMinShare * window.area()))
    return std::nullopt;
  const double margin = kMargin * 2 * region->semi_major + kMarginPixels;
  const cv::Rect2d box = Bounds(*region);
  window_ = cv::Rect(cvFloor(box.x - margin), cvFloor(box.y - margin),
                     cvCeil(box.width + 2 * margin) + 1, cvCeil(box.height + 2 * margin) + 1);
  return region;
}

}  // namespace skinmask
