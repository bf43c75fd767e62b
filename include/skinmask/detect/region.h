// Centroid, axes and angle of the skin in a probability map, for the whole picture or for one hand
// or face that is tracked from frame to frame.
#pragma once

#include <opencv2/core.hpp>
#include <optional>

#include "skinmask/base/int128.h"
#include "skinmask/data/moments.h"

namespace [[gnu::visibility("default")]] skinmask {

// Sums over pixels of p, p x, p y, p x^2, p x y and p y^2, where p is the byte of the map: exact.
struct MapMoments {
  Int128 p = 0, px = 0, py = 0, pxx = 0, pxy = 0, pyy = 0;

  bool operator==(const MapMoments&) const = default;
};

// Moments of a map (CV_8UC1: probabilities as bytes, or a mask of 0 and 255) of at most 2^30 pixels
// and 2^24 a side. (0, 0) is the centre of its top left pixel. `within` restricts the sums to a
// window of the map, in the same coordinates. About 0.3 ms a megapixel on one core.
MapMoments MapMomentsOf(const cv::Mat& map);
MapMoments MapMomentsOf(const cv::Mat& map, const cv::Rect& within);

// The ellipse that, filled evenly, has the moments of the map (docs/math.md, 'Where the skin is').
struct Region {
  double pixels = 0;      // sum of the probabilities, each 0..1
  cv::Point2d centroid;   // x to the right, y down; (0, 0) is the centre of the top left pixel
  double semi_major = 0;  // half the long axis and half the short one, in pixels. Both are above 0,
  double semi_minor = 0;  // because each pixel counts as a square.
  // The angle from the x axis to the long axis, towards y, so clockwise on the screen: above -90,
  // at most 90 degrees; 0 if both axes are equal.
  double angle_degrees = 0;

  bool operator==(const Region&) const = default;
};

// Absent if the map is 0 everywhere. Each moment is the exact rational number, rounded once.
std::optional<Region> RegionOf(const MapMoments& moments);

// The bounding box of the region's ellipse.
cv::Rect2d Bounds(const Region& region);

// Tracks one region from map to map by CAMSHIFT (Bradski 1998, 'Computer vision face tracking for
// use in a perceptual user interface'). A search window moves to the centroid of its content until
// it does not move any more, and then takes the size of the ellipse found, plus a margin. Costs a
// few passes over the window.
class RegionTracker {
 public:
  // Begins with the content of `start`, or with the largest connected component above one half.
  explicit RegionTracker(std::optional<cv::Rect> start = std::nullopt) : window_(start) {}

  // The region in `map`, which is as MapMomentsOf takes it and has the same size each time. Absent
  // if the region is lost because its window holds next to nothing; the next call then searches the
  // largest component.
  std::optional<Region> Follow(const cv::Mat& map);

  // The window in which the next map will be searched; absent if the region is lost.
  const std::optional<cv::Rect>& window() const { return window_; }

 private:
  std::optional<cv::Rect> window_;
};

}  // namespace skinmask
