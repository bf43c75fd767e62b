#include "detect/adapt/hog_pyramid.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace skinmask {
namespace {

constexpr int kSlack = static_cast<int>(kHogSlack);

std::size_t RoundedUp(std::size_t x, std::size_t to) { return (x + to - 1) / to * to; }

// Memory for at least `count` values; existing values stay.
template <class T>
T* Room(std::vector<T>& values, std::size_t count) {
  if (values.size() < count) values.resize(count);
  return values.data();
}

std::int16_t ShortShare(double share) {
  return static_cast<std::int16_t>(std::min(32767., share * 32768 + .5));
}

// The step between `size` pixels placed on `from` pixels, the first and last centres coinciding.
double StepOf(int from, int size) { return (from - 1.) / std::max(size - 1, 1); }

// Rows of a picture can be read from kBefore bytes before their first byte to kBehind bytes after
// their last one; the content there is undefined.
constexpr int kBefore = 16, kBehind = 160;

std::size_t StrideOf(int width) {
  return RoundedUp(static_cast<std::size_t>(kBefore + width + kBehind), 64);
}

// A picture in this memory.
cv::Mat1b PictureIn(std::vector<std::uint8_t>& memory, int width, int height) {
  const std::size_t stride = StrideOf(width);
  return {height, width, Room(memory, stride * static_cast<std::size_t>(height)) + kBefore, stride};
}

bool IsSearchable(const cv::Mat& picture) {
  cv::Size whole;
  cv::Point first;
  picture.locateROI(whole, first);
  return first.x >= kBefore && whole.width - first.x - picture.cols >= kBehind;
}

// Where a pixel of a row or column is among those of another one: by a part of the distance from
// `left` to the next one. Beyond the border are the border's pixels.
struct PixelPlace {
  int left;
  double part;
};

// `finely`: to 1/2048 of the distance, instead of 1/128.
std::vector<HogColumns> ColumnsOf(const std::vector<PixelPlace>& places, int from, bool finely) {
  constexpr std::size_t kPixels = HogColumns::kPixels;
  // The 16 bytes of a group are read at once. Where a step is a little above 2 (in a thin picture,
  // of which the other side cannot be halved again), the last of them stands for the next ones.
  constexpr int kLast = 15;
  std::vector<HogColumns> columns((places.size() + kPixels - 1) / kPixels);
  for (std::size_t i = 0; i < kPixels * columns.size(); ++i) {
    const auto& [before, part] = places[std::min(i, places.size() - 1)];
    const int left = std::clamp(before, 0, from - 1), right = std::clamp(before + 1, 0, from - 1);
    HogColumns& c = columns[i / kPixels];
    const std::size_t pixel = i % kPixels;
    std::int32_t& base = c.base[pixel / 8];
    if (pixel % 8 == 0) base = left;
    c.left_right[2 * pixel] = static_cast<std::uint8_t>(std::min(left - base, kLast));
    c.left_right[2 * pixel + 1] = static_cast<std::uint8_t>(std::min(right - base, kLast));
    const int share = finely ? cvRound(part * 2048) : static_cast<int>(part * 128 + .5) * 16;
    c.fraction[pixel] = static_cast<std::int16_t>(share / 16);
    c.rest[pixel] = static_cast<std::int16_t>(share % 16);
  }
  return columns;
}

// Makes each row of `to` of the two rows of `from` around its place, resized in width.
template <class ShareOf>
void ResizeRows(const cv::Mat1b& from, const std::vector<HogColumns>& columns,
                const std::vector<PixelPlace>& rows, decltype(HogRowFunctions::resize_rows) blend,
                const ShareOf& share_of, cv::Mat1b& to) {
  const std::size_t count = HogColumns::kPixels * columns.size();
  std::vector<std::int16_t> resized[2];
  int held[2] = {-1, -1};
  const auto row = [&](int at) {
    const int y = std::clamp(at, 0, from.rows - 1);
    std::int16_t* const out = Room(resized[y % 2], count + kHogSlack);
    if (held[y % 2] != y) HogRows().resize_columns(from[y], columns.data(), columns.size(), out);
    held[y % 2] = y;
    return out;
  };
  for (int y = 0; y < to.rows; ++y) {
    const auto& [upper, part] = rows[static_cast<std::size_t>(y)];
    blend(row(upper), row(upper + 1), share_of(part), count, to[y]);
  }
}

// The places of pixels if the centres of the first and of the last ones coincide.
std::vector<PixelPlace> PlacesByCorners(int from, int to) {
  std::vector<PixelPlace> places;
  for (int i = 0; i < to; ++i) {
    const double place = std::min(i * StepOf(from, to), from - 1.);
    places.push_back({static_cast<int>(place), place - std::floor(place)});
  }
  return places;
}

void Reduce(const cv::Mat1b& from, cv::Mat1b& to) {
  ResizeRows(from, ColumnsOf(PlacesByCorners(from.cols, to.cols), from.cols, false),
             PlacesByCorners(from.rows, to.rows), HogRows().resize_rows, ShortShare, to);
}

// The places of pixels that are `step` pixels of the other picture wide, by the arithmetic of
// cv::resize.
std::vector<PixelPlace> PlacesByStep(int to, double step) {
  std::vector<PixelPlace> places;
  for (int i = 0; i < to; ++i) {
    const auto place = static_cast<float>((i + .5) * step - .5);
    const int left = cvFloor(place);
    places.push_back({left, place - static_cast<float>(left)});
  }
  return places;
}

// The places of a smaller picture's cells among those of a larger one: cell i is between left[i]
// and the next one, by fractions[i].
struct CellPlaces {
  std::vector<std::int32_t> left;
  std::vector<std::int16_t> fractions;
};

CellPlaces PlacesOf(int cells, int size, int of_cells, int of_size) {
  constexpr double kMiddle = (kHogCell - 1) / 2.;
  CellPlaces places;
  for (int i = 0; i < cells; ++i) {
    const double pixel = (kHogCell * (i + 1) + kMiddle) * StepOf(of_size, size);
    const double place = std::clamp((pixel - kMiddle) / kHogCell - 1, 0., of_cells - 1.);
    const int left = std::min(static_cast<int>(place), of_cells - 2);
    places.left.push_back(left);
    places.fractions.push_back(ShortShare(place - left));
  }
  return places;
}

}  // namespace

void HogLevel::SetSize(int width, int height) {
  width_ = width;
  height_ = height;
  rows_ = CellsOf(height);
  columns_ = CellsOf(width);
  if (rows_ == 0 || columns_ == 0) rows_ = columns_ = 0;
  // Windows reach kHogWindow - kBefore cells beyond the last cell, and vectors farther.
  quarter_stride_ = static_cast<std::size_t>(8 * (columns_ + kHogWindow + kSlack));
  coarse_stride_ = RoundedUp(static_cast<std::size_t>(columns_ + 3 * kSlack), 2 * kHogSlack);
  const auto row = static_cast<std::size_t>(row_stride());
  const auto rows = static_cast<std::size_t>(rows_), columns = static_cast<std::size_t>(columns_);
  Room(features_, (rows + HogTables::kWindow) * row);
  // Zeros around the features of the cells.
  std::int16_t* at = features_.data();
  at = std::fill_n(at, kBefore * row, std::int16_t{0});
  for (std::size_t quarter = 0; quarter < rows * HogTables::kQuarters; ++quarter) {
    std::fill_n(at, 8 * kBefore, std::int16_t{0});
    std::fill(at + 8 * (kBefore + columns), at + quarter_stride_, std::int16_t{0});
    at += quarter_stride_;
  }
  std::fill_n(at, (HogTables::kWindow - kBefore) * row, std::int16_t{0});
  coarse_.assign(HogTables::kCoarse * coarse_stride_ * rows + kHogSlack, 0);
}

cv::Mat1b SearchableMemory(const cv::Size& size) {
  const cv::Mat1b whole(size.height, static_cast<int>(StrideOf(size.width)));
  return whole.colRange(kBefore, kBefore + size.width);
}

void Interpolate(const cv::Mat1b& from, double step_x, double step_y, cv::Mat1b& to) {
  const auto share_of = [](double part) { return static_cast<std::int16_t>(cvRound(part * 2048)); };
  ResizeRows(from, ColumnsOf(PlacesByStep(to.cols, step_x), from.cols, true),
             PlacesByStep(to.rows, step_y), HogRows().resize_rows_as_opencv, share_of, to);
}

void HogPyramid::SetPicture(const cv::Mat& grey, int levels) {
  const auto count = static_cast<std::size_t>(levels);
  if (memory_.size() < count) memory_.resize(count);
  pictures_ = {grey};
  if (!IsSearchable(grey)) {
    pictures_[0] = PictureIn(memory_[0], grey.cols, grey.rows);
    grey.copyTo(pictures_[0]);
  }
  while (pictures_.size() < count) {
    const cv::Mat1b from = pictures_.back();
    pictures_.push_back(PictureIn(memory_[pictures_.size()], from.cols * 5 / 6, from.rows * 5 / 6));
    Reduce(from, pictures_.back());
  }
}

void HogPyramid::Compute(const cv::Mat1b& picture, HogLevel& level) {
  level.SetSize(picture.cols, picture.rows);
  if (level.rows() == 0) return;
  const int rows = level.rows() + 2, columns = level.columns() + 2;
  // The pixels of half a cell at the end, and those without all neighbours, do not count.
  const int right = std::min(columns * kHogCell, picture.cols) - 1;
  const int bottom = std::min(rows * kHogCell, picture.rows) - 1;
  const std::size_t blocks = RoundedUp(static_cast<std::size_t>(columns) + 1, 16);
  const std::size_t stride = blocks + kHogSlack;
  split_.assign(16 * 8 * stride, 0);
  const auto split = [&](int y) {
    return split_.data() + static_cast<std::size_t>((y + 16) % 16) * 8 * stride + kHogSlack / 2;
  };
  inside_.assign(8 * stride, 0);
  for (int x = 1; x < right; ++x)
    inside_[static_cast<std::size_t>((x + kHogCell / 2) % kHogCell) * stride +
            static_cast<std::size_t>((x + kHogCell / 2) / kHogCell)] = -1;
  for (auto& votes : votes_) votes.assign(kHogVotes * stride, 0);
  for (auto& histograms : histograms_) Room(histograms, 18 * stride);
  for (auto& energy : energy_) Room(energy, stride + kHogSlack);
  for (auto& factors : factors_) Room(factors, stride + kHogSlack);

  int split_end = 0;
  for (int cell = -1; cell < rows; ++cell) {
    const int y =
        kHogCell * cell + kHogCell / 2;  // the first row of the band below this row of cells
    for (; split_end < std::min(y + 9, picture.rows); ++split_end)
      HogRows().split_row(picture[split_end] - kHogCell / 2, blocks, split(split_end), stride);
    HogBand band{};
    for (int r = -1; r <= 8; ++r) band.rows[r + 1] = split(y + r);
    band.first = static_cast<std::size_t>(std::clamp(1 - y, 0, 8));
    band.last = static_cast<std::size_t>(std::clamp(bottom - y, 0, 8));
    band.inside = inside_.data();
    band.stride = stride;
    HogRows().vote(band, blocks, votes_[0].data(), votes_[1].data(), stride);
    std::swap(votes_[0], votes_[1]);
    if (cell < 0) continue;
    const auto now = static_cast<std::size_t>(cell % 2), before = 1 - now;
    HogRows().cells(votes_[1].data(), stride, static_cast<std::size_t>(columns),
                    histograms_[now].data(), energy_[now].data());
    HogRows().corners(energy_[before].data(), energy_[now].data(),
                      static_cast<std::size_t>(columns - 1), factors_[now].data());
    if (cell < 2) continue;
    HogRows().feature_row(histograms_[before].data(), stride, factors_[before].data(),
                          factors_[now].data(), static_cast<std::size_t>(level.columns()),
                          {level.Features(cell - 2, 0), level.quarter_stride(),
                           level.Coarse(cell - 2, 0), level.coarse_stride()});
  }
}

void HogPyramid::Approximate(const HogLevel& from, int width, int height, HogLevel& to) {
  to.SetSize(width, height);
  const CellPlaces xs = PlacesOf(to.columns(), width, from.columns(), from.width());
  const CellPlaces ys = PlacesOf(to.rows(), height, from.rows(), from.height());
  const std::size_t quarter = from.quarter_stride(), count = HogTables::kQuarters * quarter;
  const std::size_t coarse = from.coarse_stride(), coarse_count = HogTables::kCoarse * coarse;
  std::int16_t* const blended = Room(blended_, std::max(count, coarse_count) + kHogSlack);
  for (int y = 0; y < to.rows(); ++y) {
    const std::int32_t upper = ys.left[static_cast<std::size_t>(y)];
    const std::int16_t fraction = ys.fractions[static_cast<std::size_t>(y)];
    HogRows().blend_rows(from.Features(upper, 0), from.Features(upper + 1, 0), fraction,
                         count - 8 * HogLevel::kBefore, blended);
    for (std::size_t q = 0; q < HogTables::kQuarters; ++q)
      HogRows().blend_cells(blended + q * quarter, xs.left.data(), xs.fractions.data(),
                            xs.left.size(), to.Features(y, 0) + q * to.quarter_stride());
    HogRows().blend_rows(from.Coarse(upper, 0), from.Coarse(upper + 1, 0), fraction,
                         coarse_count - HogLevel::kBefore, blended);
    for (std::size_t c = 0; c < HogTables::kCoarse; ++c)
      for (std::size_t x = 0; x < xs.left.size(); ++x) {
        const std::int16_t* const cell =
            blended + c * coarse + static_cast<std::size_t>(xs.left[x]);
        const int step = (cell[1] - cell[0]) * xs.fractions[x] + (1 << 14);
        to.Coarse(y, 0)[c * to.coarse_stride() + x] =
            static_cast<std::int16_t>(cell[0] + (step >> 15));
      }
  }
}

}  // namespace skinmask
