// A pyramid: a picture at several sizes with the features of its cells, in which faces are
// searched.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

#include "detect/adapt/hog_boxes.h"
#include "detect/adapt/hog_rows.h"

namespace skinmask {

// The features of those cells of a picture that have neighbours on all sides, surrounded by zeros.
class HogLevel {
 public:
  // Sets the size of the picture, and the zeros around the features.
  void SetSize(int width, int height);
  // The number of such cells along a side of so many pixels.
  static int CellsOf(int pixels) { return std::max((pixels + kHogCell / 2) / kHogCell - 2, 0); }

  int width() const { return width_; }
  int height() const { return height_; }
  // The number of cells, which is also that of windows: cell (y, x) is at (kBefore, kBefore) in
  // window (y, x).
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  static constexpr int kBefore = 4;

  // The features of cell (y, x); y and x are -kBefore or more.
  std::int16_t* Features(int y, int x) {
    return features_.data() + (y + kBefore) * row_stride() + 8 * (x + kBefore);
  }
  const std::int16_t* Features(int y, int x) const {
    return const_cast<HogLevel*>(this)->Features(y, x);
  }
  std::size_t quarter_stride() const { return quarter_stride_; }
  // Coarse channel 0 of cell (y, x); y is 0 or more.
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

// For one thread at a time. Its buffers are used again for the next picture.
class HogPyramid {
 public:
  // Makes the pictures of so many levels: `grey`, CV_8UC1, then each 5/6 of the size of the one
  // before, interpolated bilinearly with the corners coinciding.
  void SetPicture(const cv::Mat& grey, int levels);
  const std::vector<cv::Mat1b>& pictures() const { return pictures_; }
  // Computes the features of such a picture, or of a part of it.
  void Compute(const cv::Mat1b& picture, HogLevel& level);
  // Approximates the features of a reduced picture by interpolating those of the larger one.
  void Approximate(const HogLevel& from, int width, int height, HogLevel& to);

 private:
  std::vector<cv::Mat1b> pictures_;
  // Buffers for gradients: sixteen split rows, and the sums that the next rows need.
  std::vector<std::int16_t> split_, inside_;
  std::vector<std::int32_t> votes_[2];
  std::vector<float> histograms_[2], energy_[2], factors_[2];
  // A buffer for interpolated features.
  std::vector<std::int16_t> blended_;
};

}  // namespace skinmask
