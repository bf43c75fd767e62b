#include "detect/adapt/hog_pyramid.h"

#include <utility>

#include "detect/adapt/resample.h"

namespace skinmask {
namespace {

constexpr int kSlack = static_cast<int>(kHogSlack);

// Memory for at least `count` values; existing values stay.
template <class T>
T* Room(std::vector<T>& values, std::size_t count) {
  if (values.size() < count) values.resize(count);
  return values.data();
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
    const double pixel = (kHogCell * (i + 1) + kMiddle) * CornerStep(of_size, size);
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

void HogPyramid::SetPicture(const cv::Mat& grey, int levels) {
  pictures_ = {grey};
  if (!IsSearchable(grey)) {
    pictures_[0] = SearchableMemory(grey.size());
    grey.copyTo(pictures_[0]);
  }
  while (static_cast<int>(pictures_.size()) < levels) {
    const cv::Mat1b from = pictures_.back();
    pictures_.push_back(SearchableMemory({from.cols * 5 / 6, from.rows * 5 / 6}));
    InterpolateByCorners(from, pictures_.back());
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
