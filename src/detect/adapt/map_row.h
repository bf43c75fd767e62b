// MapRows enlarges small maps to the rows of the large picture.
#pragma once

#include <opencv2/core.hpp>
#include <vector>

namespace skinmask {

// A map (CV_32FC1) has a cell for each square of `side` x `side` pixels, from the picture's first
// corner on, and its value at the square's middle. Between the middles it is linear, beyond the
// outermost ones constant. The picture may end half a square before the map does, or after.
class MapRows {
 public:
  MapRows(cv::Mat map, int side);

  // The values at the `width` pixels of row y of the picture, and room for a vector beyond; valid
  // until the buffer's next use.
  float* Row(int y, int width, std::vector<float>& buffer) const;

 private:
  cv::Mat map_;
  int side_;
  std::vector<float> steps_;  // from one middle on: the share of the way to the next one
};

}  // namespace skinmask
