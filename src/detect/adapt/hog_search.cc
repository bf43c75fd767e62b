#include "detect/adapt/hog_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace skinmask {
namespace {

constexpr int kCell = kHogCell, kHogWindow = static_cast<int>(HogTables::kWindow);
constexpr int kSlack = static_cast<int>(kHogSlack);

int Cells(int pixels) { return (pixels + kCell / 2) / kCell; }
int CellsWithNeighbours(int pixels) { return std::max(Cells(pixels) - 2, 0); }

std::size_t RoundedUp(std::size_t x, std::size_t to) { return (x + to - 1) / to * to; }

// Room for as many at least; what was there stays.
template <class T>
T* Room(std::vector<T>& values, std::size_t count) {
  if (values.size() < count) values.resize(count);
  return values.data();
}

std::int16_t ShortShare(double share) {
  return static_cast<std::int16_t>(std::min(32767., share * 32768 + .5));
}

// How `size` pixels lie on `from` pixels: from the middle of the first to that of the last.
double StepOf(int from, int size) { return (from - 1.) / std::max(size - 1, 1); }

// Of more than `most` only so many stay, the greatest first.
template <class T, class Member>
void KeepGreatest(std::vector<T>& all, std::size_t most, Member T::*member) {
  if (all.size() <= most) return;
  std::ranges::stable_sort(all, std::greater{}, member);
  all.resize(most);
}

template <class T>
void KeepOnce(std::vector<T>& all) {
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

// A picture in this memory. Rows can be read kBefore bytes before they begin and kBehind behind
// their end; what is there does not count.
cv::Mat1b PictureIn(std::vector<std::uint8_t>& memory, int width, int height) {
  constexpr int kBefore = 16, kBehind = 160;
  const std::size_t stride = RoundedUp(static_cast<std::size_t>(kBefore + width + kBehind), 64);
  return {height, width, Room(memory, stride * static_cast<std::size_t>(height)) + kBefore, stride};
}

}  // namespace

void HogLevel::SetSize(int width, int height) {
  width_ = width;
  height_ = height;
  rows_ = CellsWithNeighbours(height);
  columns_ = CellsWithNeighbours(width);
  if (rows_ == 0 || columns_ == 0) rows_ = columns_ = 0;
  // The windows reach kHogWindow - kBefore beyond the last cell, and vectors farther.
  quarter_stride_ = static_cast<std::size_t>(8 * (columns_ + kHogWindow + kSlack));
  coarse_stride_ = RoundedUp(static_cast<std::size_t>(columns_ + 3 * kSlack), 2 * kHogSlack);
  const auto row = static_cast<std::size_t>(row_stride());
  const auto rows = static_cast<std::size_t>(rows_), columns = static_cast<std::size_t>(columns_);
  Room(features_, (rows + HogTables::kWindow) * row);
  // What the features of the cells themselves do not cover.
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

// ---- The pyramid: bilinear, from corner to corner, by 5/6

cv::Mat1b HogSearch::Reduced(const cv::Mat1b& from, std::vector<std::uint8_t>& memory) {
  cv::Mat1b to = PictureIn(memory, from.cols * 5 / 6, from.rows * 5 / 6);
  const std::size_t groups = RoundedUp(static_cast<std::size_t>(to.cols), 16) / 8;
  columns_.resize(groups);
  const double step = StepOf(from.cols, to.cols);
  for (std::size_t g = 0; g < groups; ++g) {
    HogColumns& c = columns_[g];
    for (std::size_t i = 0; i < 8; ++i) {
      const double x = std::min(static_cast<double>(8 * g + i) * step, from.cols - 1.);
      const int left = static_cast<int>(x), right = std::min(left + 1, from.cols - 1);
      if (i == 0) c.base = left;
      c.left_right[2 * i] = static_cast<std::uint8_t>(left - c.base);
      c.left_right[2 * i + 1] = static_cast<std::uint8_t>(right - c.base);
      c.fraction[i] = static_cast<std::int16_t>((x - left) * 128 + .5);
    }
  }
  int held[2] = {-1, -1};
  const auto row = [&](int y) {
    std::int16_t* const out = Room(resized_[y % 2], 8 * groups);
    if (held[y % 2] != y) HogRows().resize_columns(from[y], columns_.data(), groups, out);
    held[y % 2] = y;
    return out;
  };
  for (int y = 0; y < to.rows; ++y) {
    const double place = std::min(y * StepOf(from.rows, to.rows), from.rows - 1.);
    const int upper = static_cast<int>(place), lower = std::min(upper + 1, from.rows - 1);
    HogRows().resize_rows(row(upper), row(lower), ShortShare(place - upper), 8 * groups, to[y]);
  }
  return to;
}

// ---- Features

// The rows of the picture before `end`, of which the last sixteen are kept.
void HogSearch::SplitUpTo(const cv::Mat1b& picture, int end, std::size_t blocks) {
  for (; split_end_ < std::min(end, picture.rows); ++split_end_)
    HogRows().split_row(picture[split_end_] - kCell / 2, blocks,
                        split_.data() +
                            static_cast<std::size_t>(split_end_ % 16) * 8 * split_stride_ +
                            kHogSlack / 2,
                        split_stride_);
}

void HogSearch::Compute(const cv::Mat1b& picture, HogLevel& level) {
  level.SetSize(picture.cols, picture.rows);
  if (level.rows() == 0) return;
  const int rows = Cells(picture.rows), columns = Cells(picture.cols);
  // Of a half cell at the end nothing counts, nor of the pixels that lack a neighbour.
  const int right = std::min(columns * kCell, picture.cols) - 1;
  const int bottom = std::min(rows * kCell, picture.rows) - 1;
  const std::size_t blocks = RoundedUp(static_cast<std::size_t>(columns) + 1, 16);
  split_stride_ = blocks + kHogSlack;
  split_end_ = 0;
  split_.assign(16 * 8 * split_stride_, 0);
  inside_.assign(8 * split_stride_, 0);
  for (int x = 1; x < right; ++x)
    inside_[static_cast<std::size_t>((x + kCell / 2) % kCell) * split_stride_ +
            static_cast<std::size_t>((x + kCell / 2) / kCell)] = -1;
  const std::size_t stride = blocks + kHogSlack;
  for (auto& votes : votes_) votes.assign(kHogVotes * stride, 0);
  for (auto& histograms : histograms_) Room(histograms, 18 * stride);
  for (auto& energy : energy_) Room(energy, stride + kHogSlack);
  for (auto& factors : factors_) Room(factors, stride + kHogSlack);

  for (int cell = -1; cell < rows; ++cell) {
    const int y = kCell * cell + kCell / 2;  // of the band from this row of cells to the next
    SplitUpTo(picture, y + 9, blocks);
    HogBand band{};
    for (int r = -1; r <= 8; ++r)
      band.rows[r + 1] = split_.data() +
                         static_cast<std::size_t>((y + r + 16) % 16) * 8 * split_stride_ +
                         kHogSlack / 2;
    band.first = static_cast<std::size_t>(std::clamp(1 - y, 0, 8));
    band.last = static_cast<std::size_t>(std::clamp(bottom - y, 0, 8));
    band.inside = inside_.data();
    band.stride = split_stride_;
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

namespace {

// Where the cells of a smaller picture lie on those of a larger one: at left[i] or behind, by
// fractions[i].
struct CellPlaces {
  std::vector<std::int32_t> left;
  std::vector<std::int16_t> fractions;
};

CellPlaces PlacesOf(int cells, int size, int of_cells, int of_size) {
  constexpr double kMiddle = (kCell - 1) / 2.;
  CellPlaces places;
  for (int i = 0; i < cells; ++i) {
    const double pixel = (kCell * (i + 1) + kMiddle) * StepOf(of_size, size);
    const double place = std::clamp((pixel - kMiddle) / kCell - 1, 0., of_cells - 1.);
    const int left = std::min(static_cast<int>(place), of_cells - 2);
    places.left.push_back(left);
    places.fractions.push_back(ShortShare(place - left));
  }
  return places;
}

}  // namespace

// The features of a picture that is made smaller, about, from those of the larger one.
void HogSearch::Interpolate(const HogLevel& from, int width, int height, HogLevel& to) {
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

// ---- Windows

double HogSearch::Score(const HogLevel& level, const Window& window) {
  const std::int32_t score = HogRows().score(
      level.Features(window.row - HogLevel::kBefore, window.column - HogLevel::kBefore),
      level.quarter_stride(), static_cast<std::size_t>(window.pattern));
  return std::ldexp(static_cast<double>(score), -HogTables::kScoreBits);
}

// Every second window that may be a face at first sight.
void HogSearch::FindCandidates(const HogLevel& level) {
  const auto rows = static_cast<std::size_t>(level.rows());
  const auto columns = static_cast<std::size_t>(level.columns());
  const std::size_t half = level.coarse_stride() / 2, row = 2 * HogTables::kCoarse * half;
  // Rows are scanned in pairs, so two more than windows have are read.
  halves_.assign((rows + HogTables::kWindow + 2) * row + kHogSlack, 0);
  for (int y = 0; y < level.rows(); ++y)
    for (std::size_t c = 0; c < HogTables::kCoarse; ++c) {
      std::int16_t* const even =
          halves_.data() + static_cast<std::size_t>(y + HogLevel::kBefore) * row + 2 * c * half;
      HogRows().split_parity(level.Coarse(y, -HogLevel::kBefore) + c * level.coarse_stride(), half,
                             even, even + half);
    }
  std::size_t count = 0;
  const std::size_t most = 2 * HogTables::kTemplates * (columns / 2 + 1);
  for (std::size_t y = 0; y < rows; y += y % 2 == 0 ? 1 : 3) {
    HogCandidate* const found = Room(candidates_, count + most) + count;
    count += HogRows().scan({halves_.data(), half}, y, columns, found);
  }
  candidates_.resize(count);
  std::erase_if(candidates_, [&](const HogCandidate& c) { return c.row >= level.rows(); });
}

// The windows that score enough. A picture whose windows all look like faces at first sight would
// take ten times as long as others: only the better ones count there.
std::vector<HogSearch::Scored> HogSearch::Scan(const HogLevel& level, double enough) {
  // Where every second window scores so much, its neighbours may be faces.
  constexpr double kNeighbours = -1.4;
  std::vector<Scored> found;
  if (level.rows() == 0) return found;
  FindCandidates(level);
  const auto most =
      static_cast<std::size_t>(level.rows()) * static_cast<std::size_t>(level.columns()) / 4 + 256;
  KeepGreatest(candidates_, most, &HogCandidate::excess);
  std::vector<Scored> promising;
  for (const HogCandidate& candidate : candidates_) {
    const Window window{candidate.pattern, candidate.row, candidate.column};
    const double score = Score(level, window);
    if (score >= enough) found.push_back({window, score});
    if (score >= kNeighbours) promising.push_back({window, score});
  }
  KeepGreatest(promising, most / 4, &Scored::score);
  std::vector<Window> neighbours;
  for (const auto& [window, score] : promising)
    for (const auto& [dy, dx] : {std::array{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
      const Window next{window.pattern, window.row + dy, window.column + dx};
      if (next.row >= 0 && next.row < level.rows() && next.column >= 0 &&
          next.column < level.columns())
        neighbours.push_back(next);
    }
  KeepOnce(neighbours);
  for (const Window& window : neighbours)
    if (const double score = Score(level, window); score >= enough)
      found.push_back({window, score});
  return found;
}

// Windows from (top, left) to (bottom, right) whose features are computed together.
struct HogSearch::Part {
  int top, left, bottom, right;
  std::vector<Window> windows;

  // Cells around that the features of these windows hear of.
  static constexpr int kAround = kHogWindow + 4;
  double Cost() const {
    return (bottom - top + kAround) * static_cast<double>(right - left + kAround);
  }
  Part With(const Part& other) const {
    Part both{std::min(top, other.top), std::min(left, other.left), std::max(bottom, other.bottom),
              std::max(right, other.right), windows};
    both.windows.insert(both.windows.end(), other.windows.begin(), other.windows.end());
    return both;
  }
};

// Parts are joined where that costs less.
std::vector<HogSearch::Part> HogSearch::Parts(const std::vector<Scored>& doubtful) {
  std::vector<Part> parts;
  for (const auto& [window, score] : doubtful) {
    Part part{window.row - 1, window.column - 1, window.row + 1, window.column + 1, {window}};
    for (std::size_t i = 0; i < parts.size();) {
      Part both = part.With(parts[i]);
      if (both.Cost() > part.Cost() + parts[i].Cost()) {
        ++i;
        continue;
      }
      part = std::move(both);
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i));
      i = 0;
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

bool HogSearch::Verify(const cv::Mat1b& picture, const std::vector<Scored>& doubtful,
                       double min_score, std::vector<Scored>& found) {
  constexpr std::size_t kMostDoubtful = 200;
  if (doubtful.size() > kMostDoubtful) return false;
  const std::vector<Part> parts = Parts(doubtful);
  const int rows = Cells(picture.rows), columns = Cells(picture.cols);
  double cost = 0;
  for (const Part& part : parts) cost += part.Cost();
  if (cost > .5 * rows * columns) return false;
  for (const Part& part : parts) {
    // From the cell above and on the left of the first that the windows see, to those behind.
    const int first_row = std::max(part.top - HogLevel::kBefore - 1, 0);
    const int first_column = std::max(part.left - HogLevel::kBefore - 1, 0);
    const int end_row = part.bottom - HogLevel::kBefore + kHogWindow + 3;
    const int end_column = part.right - HogLevel::kBefore + kHogWindow + 3;
    const cv::Point first(kCell * first_column, kCell * first_row);
    const cv::Point end(end_column >= columns ? picture.cols : kCell * end_column,
                        end_row >= rows ? picture.rows : kCell * end_row);
    Compute(picture(cv::Rect(first, end)), part_);
    std::vector<Window> windows;
    for (const Window& window : part.windows)
      for (int y = std::max(window.row - 1, 0); y <= std::min(window.row + 1, rows - 3); ++y)
        for (int x = std::max(window.column - 1, 0); x <= std::min(window.column + 1, columns - 3);
             ++x)
          windows.push_back({window.pattern, y, x});
    KeepOnce(windows);
    for (const Window& window : windows) {
      const double score =
          Score(part_, {window.pattern, window.row - first_row, window.column - first_column});
      if (score >= min_score) found.push_back({window, score});
    }
  }
  return true;
}

std::vector<HogFace> HogSearch::Find(const cv::Mat& grey, double min_score) {
  // Of every second level the features are interpolated from the level before, since they take
  // most of the time; where a window scores so much then, they are computed.
  constexpr double kDoubtful = -1.3;
  if (CellsWithNeighbours(grey.cols) == 0 || CellsWithNeighbours(grey.rows) == 0) return {};
  cv::Mat1b picture = PictureIn(pictures_[0], grey.cols, grey.rows);
  grey.copyTo(picture);
  std::vector<HogFace> faces;
  const int levels = HogLevels(grey.cols, grey.rows);
  for (int l = 0; l < levels; ++l) {
    if (l > 0) picture = Reduced(picture, pictures_[l % 2]);
    std::vector<Scored> found;
    bool verified = false;
    if (l % 2 == 1 && level_.rows() > 1 && level_.columns() > 1) {
      Interpolate(level_, picture.cols, picture.rows, between_);
      verified =
          Verify(picture, Scan(between_, std::min(kDoubtful, min_score - 1)), min_score, found);
    }
    if (!verified) {
      Compute(picture, level_);
      found = Scan(level_, min_score);
    }
    for (const auto& [window, score] : found)
      faces.push_back(FaceOfWindow(window.pattern, window.row - HogLevel::kBefore,
                                   window.column - HogLevel::kBefore, score, l));
  }
  std::sort(faces.begin(), faces.end(), IsBetter);
  return faces;
}

}  // namespace skinmask
