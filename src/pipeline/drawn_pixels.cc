#include "pipeline/drawn_pixels.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/random.h"

namespace skinmask {

namespace {

std::uint64_t HashOf(std::string_view name) {
  std::uint64_t hash = 0;
  for (const char c : name) hash = Mix(hash + static_cast<std::uint8_t>(c) + 1);
  return hash;
}

// The `count` lowest, in order.
void KeepLowest(std::vector<RankedPixel>& pixels, std::size_t count) {
  const std::size_t kept = std::min(count, pixels.size());
  std::partial_sort(pixels.begin(), pixels.begin() + static_cast<std::ptrdiff_t>(kept),
                    pixels.end());
  pixels.resize(kept);
}

}  // namespace

std::vector<RankedPixel> DrawPixels(const LabelledImage& image, std::uint8_t positive) {
  constexpr int kLattice = 24;
  std::vector<RankedPixel> drawn;
  const std::uint64_t hash = HashOf(image.name);
  for (int i = 0; i < kLattice * kLattice; ++i) {
    const int y = (2 * (i / kLattice) + 1) * image.bgr.rows / (2 * kLattice);
    const int x = (2 * (i % kLattice) + 1) * image.bgr.cols / (2 * kLattice);
    const std::uint8_t truth = image.classes.at<std::uint8_t>(y, x);
    const cv::Vec3b& bgr = image.bgr.at<cv::Vec3b>(y, x);
    if (truth != MaskRule::kIgnored)
      drawn.push_back({Mix(hash + static_cast<std::uint64_t>(i)),
                       {{bgr[0], bgr[1], bgr[2]}, truth == positive}});
  }
  return drawn;
}

void PixelDraw::Add(const std::vector<RankedPixel>& pixels) {
  for (const RankedPixel& ranked : pixels) {
    std::vector<RankedPixel>& kept = kept_[ranked.pixel.positive];
    kept.push_back(ranked);
    if (kept.size() >= 4 * kEach) KeepLowest(kept, kEach);
  }
}

std::vector<RankedPixel> PixelDraw::Ranked() const {
  std::vector<RankedPixel> all;
  for (const bool positive : {true, false}) {
    std::vector<RankedPixel> kept = kept_[positive];
    KeepLowest(kept, kEach);
    all.insert(all.end(), kept.begin(), kept.end());
  }
  return all;
}

std::vector<DrawnPixel> DrawPixels(const Samples& samples, const std::string& positive,
                                   std::size_t each) {
  std::array<std::uint64_t, 2> totals{};
  const auto is_positive = [&](const SampleRow& row) {
    return samples.classes()[row.class_index] == positive;
  };
  for (const SampleRow& row : samples.rows()) totals[is_positive(row)] += row.count;
  std::vector<DrawnPixel> drawn;
  std::array<double, 2> owed{};
  for (const SampleRow& row : samples.rows()) {
    const bool truth = is_positive(row);
    const double every =
        std::max(1., static_cast<double>(totals[truth]) / static_cast<double>(each));
    for (owed[truth] += static_cast<double>(row.count); owed[truth] >= every; owed[truth] -= every)
      drawn.push_back({{row.b, row.g, row.r}, truth});
  }
  return drawn;
}

}  // namespace skinmask
