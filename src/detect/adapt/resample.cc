#include "detect/adapt/resample.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "detect/adapt/hog_pyramid.h"
#include "detect/adapt/hog_rows.h"

namespace skinmask {
namespace {

// The weight of a pixel of the large picture in a pixel of the small one.
struct Share {
  int from, to;
  float weight;
};

// The shares along one side, in the order of their addition.
std::vector<Share> SharesOf(int from, int to) {
  constexpr double kLeast = 1e-3;  // a smaller share of a pixel is ignored
  const double scale = 1 / (static_cast<double>(to) / from);
  std::vector<Share> shares;
  for (int i = 0; i < to; ++i) {
    const double begin = i * scale, end = begin + scale, width = std::min(scale, from - begin);
    const int last = std::min(static_cast<int>(std::floor(end)), from - 1);
    const int first = std::min(static_cast<int>(std::ceil(begin)), last);
    if (first - begin > kLeast)
      shares.push_back({first - 1, i, static_cast<float>((first - begin) / width)});
    for (int j = first; j < last; ++j) shares.push_back({j, i, static_cast<float>(1 / width)});
    if (end - last > kLeast)
      shares.push_back(
          {last, i, static_cast<float>(std::min(std::min(end - last, 1.), width) / width)});
  }
  return shares;
}

// The rows of a picture, reduced in width, from the first row on. Several rows at a time, because
// their sums do not wait for each other.
class Narrowed {
 public:
  Narrowed(const cv::Mat1b& grey, const std::vector<Share>& columns, int width)
      : grey_(grey), columns_(columns), width_(static_cast<std::size_t>(width)) {}

  const float* Row(int y) {
    if (y >= end_) NarrowFrom(y);
    return rows_[static_cast<std::size_t>(y - end_ + kRows)].data();
  }

 private:
  static constexpr int kRows = 4;

  void NarrowFrom(int y) {
    const std::uint8_t* in[kRows];
    for (int r = 0; r < kRows; ++r) in[r] = grey_.ptr(std::min(y + r, grey_.rows - 1));
    for (std::vector<float>& row : rows_) row.assign(width_, 0);
    for (auto column = columns_.begin(); column != columns_.end();) {
      const int to = column->to;
      float sums[kRows] = {};
      for (; column != columns_.end() && column->to == to; ++column)
        for (int r = 0; r < kRows; ++r)
          sums[r] += static_cast<float>(in[r][column->from]) * column->weight;
      for (std::size_t r = 0; r < kRows; ++r) rows_[r][static_cast<std::size_t>(to)] = sums[r];
    }
    end_ = y + kRows;
  }

  const cv::Mat1b& grey_;
  const std::vector<Share>& columns_;
  std::size_t width_;
  int end_ = 0;  // after the last reduced row
  std::array<std::vector<float>, kRows> rows_;
};

}  // namespace

cv::Mat1b AreaMean(const cv::Mat1b& grey, const cv::Size& size) {
  if (size == grey.size()) return grey.clone();
  const std::vector<Share> columns = SharesOf(grey.cols, size.width);
  const std::vector<Share> rows = SharesOf(grey.rows, size.height);
  cv::Mat1b small(size);
  Narrowed narrowed(grey, columns, size.width);
  cv::Mat1f sums(1, size.width);
  float* const sum = sums[0];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const float* const row = narrowed.Row(rows[i].from);
    const bool is_first = i == 0 || rows[i - 1].to != rows[i].to;
    for (int x = 0; x < size.width; ++x) {
      const float part = rows[i].weight * row[x];
      sum[x] = is_first ? part : sum[x] + part;
    }
    if (i + 1 < rows.size() && rows[i + 1].to == rows[i].to) continue;
    sums.convertTo(small.row(rows[i].to), CV_8U);
  }
  return small;
}

const cv::Mat1b& Reductions::Halved(const cv::Size& size) {
  std::size_t i = 0;
  while (halves_[i].cols >= 2 * size.width && halves_[i].rows >= 2 * size.height)
    if (++i == halves_.size()) {
      const cv::Mat1b last = halves_.back();
      halves_.push_back(SearchableMemory({last.cols / 2, last.rows / 2}));
      cv::resize(last({0, 0, last.cols & ~1, last.rows & ~1}), halves_.back(),
                 halves_.back().size(), 0, 0, cv::INTER_AREA);
    }
  return halves_[i];
}

cv::Mat1b Reductions::Interpolated(const cv::Size& size) {
  const cv::Mat1b& from = Halved(size);
  cv::Mat1b to = SearchableMemory(size);
  // The inverse of a quotient, as cv::resize computes it.
  Interpolate(from, 1 / (static_cast<double>(size.width) / from.cols),
              1 / (static_cast<double>(size.height) / from.rows), to);
  return to;
}

cv::Mat1b Warped(const cv::Mat1b& grey, const cv::Matx23d& back, const cv::Size& size) {
  // Places are rounded to 1/32 of a pixel after they were added up in finer units.
  constexpr double kUnits = 1 << 10;
  constexpr int kHalfOfPart = 1 << 4;
  // Rows are computed in vectors.
  const std::size_t columns = static_cast<std::size_t>(size.width) + kHogSlack;
  std::vector<std::int32_t> steps_x(columns), steps_y(columns);
  for (int x = 0; x < size.width; ++x) {
    steps_x[static_cast<std::size_t>(x)] = cvRound(back(0, 0) * x * kUnits);
    steps_y[static_cast<std::size_t>(x)] = cvRound(back(1, 0) * x * kUnits);
  }
  cv::Mat1b padded, warped = SearchableMemory(size);
  cv::copyMakeBorder(grey, padded, 1, 1, 1, 1, cv::BORDER_REPLICATE | cv::BORDER_ISOLATED);
  HogTurnedRow row{padded.data,
                   static_cast<std::int32_t>(padded.step),
                   grey.cols,
                   grey.rows,
                   0,
                   0,
                   steps_x.data(),
                   steps_y.data()};
  for (int y = 0; y < size.height; ++y) {
    row.x = cvRound((back(0, 1) * y + back(0, 2)) * kUnits) + kHalfOfPart;
    row.y = cvRound((back(1, 1) * y + back(1, 2)) * kUnits) + kHalfOfPart;
    HogRows().turn_row(row, static_cast<std::size_t>(size.width), warped[y]);
  }
  return warped;
}

}  // namespace skinmask
