// MapRows enlarges a small map to the rows of the large picture.
#pragma once

#include <opencv2/core.hpp>
#include <vector>

namespace skinmask {

// A map (CV_32FC1) has a cell for each square of `side` x `side` pixels from the picture's first
// corner on; its value is that at the square's centre. The map is linear between centres, and
// constant beyond the outermost ones. The picture may end half a square before or after the map.
class MapRows {
 public:
  MapRows(cv::Mat map, int side);

  // The values at `count` pixels of row y of the picture from column `first` on, with room for a
  // vector after them; valid until the buffer's next use.
  float* Row(int y, int first, int count, std::vector<float>& buffer) const;

 private:
  cv::Mat map_;
  int side_;
  std::vector<float> steps_;  // from a centre on: the pixels' shares of the way to the next
};

}  // namespace skinmask
