// A picture at several sizes, and the features of its cells at each, in which faces are searched.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

#include "detect/adapt/hog_boxes.h"
#include "detect/adapt/hog_rows.h"

namespace skinmask {

// The features of a picture's cells that have neighbours on all sides, with zeros around them.
class HogLevel {
 public:
  // Of a picture of that size: there are zeros around the features.
  void SetSize(int width, int height);
  // How many these are on a side of so many pixels.
  static int CellsOf(int pixels) { return std::max((pixels + kHogCell / 2) / kHogCell - 2, 0); }

  int width() const { return width_; }
  int height() const { return height_; }
  // Cells, and windows too: cell (y, x) is that at (kBefore, kBefore) of the window (y, x).
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  static constexpr int kBefore = 4;

  // Of the cell (y, x), -kBefore <= y, x.
  std::int16_t* Features(int y, int x) {
    return features_.data() + (y + kBefore) * row_stride() + 8 * (x + kBefore);
  }
  const std::int16_t* Features(int y, int x) const {
    return const_cast<HogLevel*>(this)->Features(y, x);
  }
  std::size_t quarter_stride() const { return quarter_stride_; }
  // Channel 0 of the cell (y, x), 0 <= y.
  std::int16_t* Coarse(int y, int x) {
    return coarse_.data() + y * static_cast<std::ptrdiff_t>(HogTables::kCoarse * coarse_stride_) +
           x + kBefore;
  }
  const std::int16_t* Coarse(int y, int x) const {
    return const_cast<HogLevel*>(this)->Coarse(y, x);
  }
  std::size_t coarse_stride() const { return coarse_stride_; }

 private:
  std::ptrdiff_t row_stride() const {
    return static_cast<std::ptrdiff_t>(HogTables::kQuarters * quarter_stride_);
  }

  int width_ = 0, height_ = 0, rows_ = 0, columns_ = 0;
  std::size_t quarter_stride_ = 0, coarse_stride_ = 0;
  std::vector<std::int16_t> features_, coarse_;
};

// Only one thread may use it at a time; it keeps its memory for the next picture.
class HogPyramid {
 public:
  // The picture of the first level: `grey`, CV_8UC1.
  cv::Mat1b First(const cv::Mat& grey);
  // That of the next level, by 5/6: bilinear, corner on corner. What was before `from` is lost.
  cv::Mat1b Reduced(const cv::Mat1b& from);
  // The features of such a picture, or of a part of it.
  void Compute(const cv::Mat1b& picture, HogLevel& level);
  // The features of a picture that is made smaller, about, from those of the larger one.
  void Interpolate(const HogLevel& from, int width, int height, HogLevel& to);

 private:
  std::vector<std::uint8_t> pictures_[2];
  // Of a picture that is made smaller.
  std::vector<HogColumns> columns_;
  std::vector<std::int16_t> resized_[2];
  // Of gradients: sixteen split rows, and what the next rows need.
  std::vector<std::int16_t> split_, inside_;
  std::vector<std::int32_t> votes_[2];
  std::vector<float> histograms_[2], energy_[2], factors_[2];
  // Of features between two levels.
  std::vector<std::int16_t> blended_;
};

}  // namespace skinmask
