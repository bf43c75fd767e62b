// Means over boxes and the arithmetic of the guided filter between them, row by row.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace skinmask {

// A picture of floats, not set to begin with, whose rows have room for a vector beyond their end.
class Plane {
 public:
  Plane(int width, int height)
      : width_(width),
        height_(height),
        stride_((static_cast<std::size_t>(width) + 31) / 16 * 16),
        values_(
            std::make_unique_for_overwrite<float[]>(stride_ * static_cast<std::size_t>(height))) {}

  int width() const { return width_; }
  int height() const { return height_; }
  float* Row(int y) { return values_.get() + stride_ * static_cast<std::size_t>(y); }
  const float* Row(int y) const { return values_.get() + stride_ * static_cast<std::size_t>(y); }

 private:
  int width_, height_;
  std::size_t stride_;
  std::unique_ptr<float[]> values_;
};

// Means over the pixels of a plane that are within `radius` of each column and row.
class BoxMean {
 public:
  BoxMean(const Plane& plane, int radius);

  // Of row 0, then of row 1, and so on; `out` has room for a vector beyond its end.
  void NextRow(float* out);

 private:
  const Plane& plane_;
  int radius_, next_ = 0;
  std::vector<float> columns_;        // sums over the rows of the window, between zeros
  std::vector<float> fours_;          // sums of four of these
  std::vector<float> column_counts_;  // 1 / columns that are in the window
};

// Of a row of `count` pixels; all rows have room for a vector beyond their end.
// tanh(z / 2), z within +-8: the mean of a label of +1 or -1; and the same times grey.
void LabelRow(const float* z, const float* grey, std::size_t count, float* label,
              float* grey_label);
// Least squares in a window of these means: label = slope grey + offset.
struct WindowMeans {
  const float *label, *grey_label, *grey, *inverse_variance;
};
void LineRow(const WindowMeans& means, std::size_t count, float* slope, float* offset);
// Adds weight (slope grey + offset) to z.
void AddMessageTo(float* z, const float* grey, const float* slope, const float* offset,
                  float weight, std::size_t count);

}  // namespace skinmask
