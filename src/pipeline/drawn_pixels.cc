#include "pipeline/drawn_pixels.h"

#include <algorithm>
#include <array>

namespace skinmask {

std::vector<DrawnPixel> DrawPixels(const LabelledImage& image, std::uint8_t positive) {
  constexpr int kLattice = 24;
  std::vector<DrawnPixel> drawn;
  for (int i = 0; i < kLattice * kLattice; ++i) {
    const int y = (2 * (i / kLattice) + 1) * image.bgr.rows / (2 * kLattice);
    const int x = (2 * (i % kLattice) + 1) * image.bgr.cols / (2 * kLattice);
    const std::uint8_t truth = image.classes.at<std::uint8_t>(y, x);
    const cv::Vec3b& bgr = image.bgr.at<cv::Vec3b>(y, x);
    if (truth != MaskRule::kIgnored) drawn.push_back({{bgr[0], bgr[1], bgr[2]}, truth == positive});
  }
  return drawn;
}

void PixelDraw::Add(const std::vector<DrawnPixel>& pixels) {
  constexpr std::size_t kMost = 8192;
  for (const DrawnPixel& pixel : pixels) {
    if (seen_++ % every_ != 0) continue;
    kept_.push_back(pixel);
    if (kept_.size() < kMost) continue;
    for (std::size_t i = 0; i < kMost / 2; ++i) kept_[i] = kept_[2 * i];
    kept_.resize(kMost / 2);
    every_ *= 2;
  }
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
