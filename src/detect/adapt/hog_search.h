// The search for faces by histograms of oriented gradients: dlib's detector (King: Max-Margin
// Object Detection, 2015), whose templates these are, made fast.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

#include "detect/adapt/hog_boxes.h"
#include "detect/adapt/hog_rows.h"

namespace skinmask {

// A part of a grey picture. Rows can be read kBefore bytes before they begin and kBehind behind
// their end; what is there does not count.
struct HogView {
  static constexpr int kBefore = 16, kBehind = 160;
  const std::uint8_t* first;
  std::ptrdiff_t stride;
  int width, height;

  const std::uint8_t* Row(int y) const { return first + y * stride; }
};

class HogPicture {
 public:
  void SetSize(int width, int height);
  int width() const { return width_; }
  int height() const { return height_; }
  std::uint8_t* Row(int y) { return bytes_.data() + HogView::kBefore + y * stride_; }
  HogView View() { return {Row(0), stride_, width_, height_}; }

 private:
  int width_ = 0, height_ = 0;
  std::ptrdiff_t stride_ = 0;
  std::vector<std::uint8_t> bytes_;
};

// The features of a picture's cells that have neighbours on all sides, with zeros around them.
class HogLevel {
 public:
  // Of a picture of that size: there are zeros around the features.
  void SetSize(int width, int height);

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
    return features_.data() + (y + kBefore) * row_stride() + 8 * (x + kBefore);
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
class HogSearch {
 public:
  // All windows that score at least min_score, the best first: many for each face. `grey` is
  // CV_8UC1.
  std::vector<HogFace> Find(const cv::Mat& grey, double min_score);

 private:
  struct Window {
    int pattern, row, column;
    auto operator<=>(const Window&) const = default;
  };
  struct Scored {
    Window window;
    double score;
  };
  struct Part;

  void Reduce(HogPicture& from, HogPicture& to);
  void Compute(const HogView& picture, HogLevel& level);
  void SplitUpTo(const HogView& picture, int end, std::size_t blocks);
  void Interpolate(const HogLevel& from, int width, int height, HogLevel& to);

  std::vector<Scored> Scan(const HogLevel& level, double enough);
  void FindCandidates(const HogLevel& level);
  static double Score(const HogLevel& level, const Window& window);
  // True, or false if there were so many that the whole level costs less.
  bool Verify(const HogView& picture, const std::vector<Scored>& doubtful, double min_score,
              std::vector<Scored>& found);
  static std::vector<Part> Parts(const std::vector<Scored>& doubtful);

  HogPicture pictures_[2];
  HogLevel level_, between_, part_;
  // Of a picture that is made smaller.
  std::vector<HogColumns> columns_;
  std::vector<std::int16_t> resized_[2];
  // Of gradients: sixteen split rows, and what the next rows need.
  std::vector<std::int16_t> split_, inside_;
  std::size_t split_stride_ = 0;
  int split_end_ = 0;
  std::vector<std::int32_t> votes_[2];
  std::vector<float> histograms_[2], energy_[2], factors_[2];
  // Of features between two levels.
  std::vector<std::int16_t> blended_;
  // Of windows.
  std::vector<std::int16_t> halves_;
  std::vector<HogCandidate> candidates_;
};

}  // namespace skinmask
