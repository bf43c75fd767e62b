// Some of the evaluated pixels, for plots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pipeline/labelled_pairs.h"
#include "skinmask/pipeline/evaluate.h"

namespace skinmask {

// Pixels on a lattice over the image.
std::vector<DrawnPixel> DrawPixels(const LabelledImage& image, std::uint8_t positive);

// Keeps every n-th of a stream of pixels, n doubling whenever there are too many: an even draw of
// all in bounded memory.
class PixelDraw {
 public:
  explicit PixelDraw(std::vector<DrawnPixel>& kept) : kept_(kept) {}
  void Add(const std::vector<DrawnPixel>& pixels);

 private:
  std::vector<DrawnPixel>& kept_;
  std::size_t seen_ = 0, every_ = 1;
};

}  // namespace skinmask
