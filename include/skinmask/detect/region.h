// Where the skin is and which way it lies: centroid, axes and angle of a probability map, for the
// whole picture or for one hand or face that is followed from frame to frame.
#pragma once

#include <opencv2/core.hpp>
#include <optional>

#include "skinmask/base/int128.h"
#include "skinmask/data/moments.h"

namespace [[gnu::visibility("default")]] skinmask {

// Sums over pixels of p, p x, p y, p x^2, p x y and p y^2, p the byte of the map: exact, in
// whatever order they are added.
struct MapMoments {
  Int128 p = 0, px = 0, py = 0, pxx = 0, pxy = 0, pyy = 0;

  MapMoments& operator+=(const MapMoments& other);
  bool operator==(const MapMoments&) const = default;
};

// Moments of a map (CV_8UC1: probabilities as bytes, or a mask of 0 and 255) of at most 2^30
// pixels, 2^24 a side; (0, 0) is the middle of its top left pixel. `within` restricts them to a
// window of it, in the same coordinates. About 0.3 ms a megapixel on one core.
MapMoments MapMomentsOf(const cv::Mat& map);
MapMoments MapMomentsOf(const cv::Mat& map, const cv::Rect& within);

// The ellipse that, filled evenly, has the moments of the map (docs/math.md, 'Where the skin is').
struct Region {
  double pixels = 0;      // sum of the probabilities, 0..1 each
  cv::Point2d centroid;   // x to the right, y down; (0, 0) is the middle of the top left pixel
  double semi_major = 0;  // half the long axis and half the short one, in pixels; a pixel counts as
  double semi_minor = 0;  // a square, so that both are above 0
  // From the x axis to the long axis, towards y, so clockwise as the picture is seen: more than
  // -90, at most 90 degrees; 0 where no axis is longer.
  double angle_degrees = 0;

  bool operator==(const Region&) const = default;
};

// Absent where the map is 0 all over. Each moment is the exact rational, rounded once.
std::optional<Region> RegionOf(const MapMoments& moments);

// The box around the region's ellipse.
cv::Rect2d Bounds(const Region& region);

// Follows one region from map to map: CAMSHIFT (Bradski 1998, 'Computer vision face tracking for
// use in a perceptual user interface'). A search window moves to the centroid of what it holds
// until it rests, then takes the size of the ellipse found, and a margin. Costs a few passes over
// the window.
class RegionTracker {
 public:
  // Begins with what is in `start`, or with the largest connected component above one half.
  explicit RegionTracker(std::optional<cv::Rect> start = std::nullopt) : window_(start) {}

  // The region in `map` (as MapMomentsOf takes it, of the same size each time). Absent where it is
  // lost, because its window holds next to nothing: then the largest one is looked for from the
  // next map on.
  std::optional<Region> Follow(const cv::Mat& map);

  // Where the next map will be searched; absent when lost.
  const std::optional<cv::Rect>& window() const { return window_; }

 private:
  std::optional<cv::Rect> window_;
};

// Draws the ellipse, its long axis and its centroid into a picture (CV_8UC3).
void DrawRegion(cv::Mat& bgr, const Region& region);

}  // namespace skinmask
