// Some of the evaluated pixels, for plots.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pipeline/labelled_pairs.h"
#include "skinmask/pipeline/evaluate.h"

namespace skinmask {

// A pixel, and the number by which it is kept or not: a hash of its image's name and its place
// there, so that the choice depends neither on the order of images nor on what run judged them.
struct RankedPixel {
  std::uint64_t rank;
  DrawnPixel pixel;

  auto operator<=>(const RankedPixel& other) const {
    return std::pair(rank, pixel.bgr) <=> std::pair(other.rank, other.pixel.bgr);
  }
  bool operator==(const RankedPixel&) const = default;
};

// Pixels on a lattice over the image.
std::vector<RankedPixel> DrawPixels(const LabelledImage& image, std::uint8_t positive);

// Keeps, of the positive pixels and of all others, those of the lowest ranks: an even draw of all
// in bounded memory, and the same however they come.
class PixelDraw {
 public:
  static constexpr std::size_t kEach = 1000;

  void Add(const std::vector<RankedPixel>& pixels);
  // By rank, positives first.
  std::vector<RankedPixel> Ranked() const;

 private:
  std::array<std::vector<RankedPixel>, 2> kept_;
};

}  // namespace skinmask
