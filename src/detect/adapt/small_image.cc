#include "detect/adapt/small_image.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/parallel_rows.h"

namespace skinmask {
namespace {

// The number of squares of `square` pixels along a side: at least half of each is within the image.
int Squares(int length, int square) {
  return std::max(1, cvRound(static_cast<double>(length) / square));
}

// The sums of rows first .. last - 1 for each byte of a row. 256 rows do not overflow.
void ColumnSums(const cv::Mat& bgr, int first, int last, std::vector<std::uint16_t>& sums) {
  const int count = 3 * bgr.cols;
  std::fill(sums.begin(), sums.end(), std::uint16_t{0});
  std::uint16_t* const sum = sums.data();
  for (int y = first; y < last; ++y) {
    const std::uint8_t* const row = bgr.ptr(y);
    for (int i = 0; i < count; ++i) sum[i] = static_cast<std::uint16_t>(sum[i] + row[i]);
  }
}

// Adds the sums of its columns to each square's three sums.
void AddColumns(const std::vector<std::uint16_t>& columns, int width, int square,
                std::vector<std::int64_t>& sums) {
  const std::uint16_t* at = columns.data();
  for (int x = 0, cell = 0; x < width && 3 * cell < static_cast<int>(sums.size()); ++cell) {
    std::uint32_t b = 0, g = 0, r = 0;
    for (const int end = std::min(width, x + square); x < end; ++x, at += 3) {
      b += at[0];
      g += at[1];
      r += at[2];
    }
    std::int64_t* const sum = sums.data() + 3 * cell;
    sum[0] += b;
    sum[1] += g;
    sum[2] += r;
  }
}

// Row y of the small image.
void AverageRow(const cv::Mat& bgr, int square, int y, int cells, std::uint8_t* out) {
  constexpr int kRowsAtOnce = 256;
  thread_local std::vector<std::uint16_t> columns;
  thread_local std::vector<std::int64_t> sums;
  columns.resize(3 * static_cast<std::size_t>(bgr.cols));
  sums.assign(3 * static_cast<std::size_t>(cells), 0);
  const int first = y * square, last = std::min(bgr.rows, first + square);
  for (int from = first; from < last; from += kRowsAtOnce) {
    ColumnSums(bgr, from, std::min(last, from + kRowsAtOnce), columns);
    AddColumns(columns, bgr.cols, square, sums);
  }
  // Rounded. Half a unit keeps sums off the border between two bytes, so that multiplying by the
  // inverse equals exact division.
  const auto average = [](std::int64_t sum, int count, double inverse) {
    return static_cast<std::uint8_t>((static_cast<double>(sum) + count / 2 + 0.5) * inverse);
  };
  const int whole = square * (last - first);
  const int rest = std::min(square, bgr.cols - (cells - 1) * square) * (last - first);
  const std::size_t before_last = 3 * static_cast<std::size_t>(cells - 1);
  for (std::size_t i = 0; i < before_last; ++i) out[i] = average(sums[i], whole, 1. / whole);
  for (std::size_t i = before_last; i < before_last + 3; ++i)
    out[i] = average(sums[i], rest, 1. / rest);
}

}  // namespace

int SmallImageSquare(const cv::Size& image, int pixels) {
  const double area = static_cast<double>(image.width) * image.height;
  return std::max(1, static_cast<int>(std::ceil(std::sqrt(area / pixels))));
}

cv::Size SmallImageSize(const cv::Size& image, int pixels) {
  const int square = SmallImageSquare(image, pixels);
  return square == 1 ? image
                     : cv::Size(Squares(image.width, square), Squares(image.height, square));
}

cv::Mat SmallImage(const cv::Mat& bgr, int pixels) {
  const int square = SmallImageSquare(bgr.size(), pixels);
  if (square == 1) return bgr.clone();
  cv::Mat small(SmallImageSize(bgr.size(), pixels), CV_8UC3);
  ForRowsOf(bgr.cols * square, small.rows,
            [&](int y) { AverageRow(bgr, square, y, small.cols, small.ptr(y)); });
  return small;
}

}  // namespace skinmask
