#include "detect/adapt/resample.h"

#include <cmath>

#include "detect/adapt/hog_rows.h"

namespace skinmask {
namespace {

// Rows of a picture can be read from kBefore bytes before their first byte to kBehind bytes after
// their last one; the content there is undefined.
constexpr int kBefore = 16, kBehind = 160;

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
void Resize(const cv::Mat1b& from, const std::vector<PixelPlace>& columns,
            const std::vector<PixelPlace>& rows, bool as_opencv, cv::Mat1b& to) {
  const std::vector<HogColumns> groups = ColumnsOf(columns, from.cols, as_opencv);
  const std::size_t count = HogColumns::kPixels * groups.size();
  std::vector<std::int16_t> resized[2];
  for (auto& row : resized) row.resize(count + kHogSlack);
  int held[2] = {-1, -1};
  const auto row = [&](int at) {
    const int y = std::clamp(at, 0, from.rows - 1);
    std::int16_t* const out = resized[y % 2].data();
    if (held[y % 2] != y) HogRows().resize_columns(from[y], groups.data(), groups.size(), out);
    held[y % 2] = y;
    return out;
  };
  const auto blend = as_opencv ? HogRows().resize_rows_as_opencv : HogRows().resize_rows;
  for (int y = 0; y < to.rows; ++y) {
    const auto& [upper, part] = rows[static_cast<std::size_t>(y)];
    const auto share =
        as_opencv ? static_cast<std::int16_t>(cvRound(part * 2048)) : ShortShare(part);
    blend(row(upper), row(upper + 1), share, count, to[y]);
  }
}

// The places of pixels if the centres of the first and of the last ones coincide.
std::vector<PixelPlace> PlacesByCorners(int from, int to) {
  std::vector<PixelPlace> places;
  for (int i = 0; i < to; ++i) {
    const double place = std::min(i * CornerStep(from, to), from - 1.);
    places.push_back({static_cast<int>(place), place - std::floor(place)});
  }
  return places;
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

// So many rows are reduced in width at a time, because their sums do not wait for each other.
constexpr int kNarrowed = 4;

// Reduces the rows from `first` on; rows after the last one equal it.
void NarrowRows(const cv::Mat1b& grey, const std::vector<Share>& columns, int first,
                cv::Mat1f& narrow) {
  const std::uint8_t* in[kNarrowed];
  for (int r = 0; r < kNarrowed; ++r) in[r] = grey[std::min(first + r, grey.rows - 1)];
  for (auto column = columns.begin(); column != columns.end();) {
    const int to = column->to;
    float sums[kNarrowed] = {};
    for (; column != columns.end() && column->to == to; ++column)
      for (int r = 0; r < kNarrowed; ++r)
        sums[r] += static_cast<float>(in[r][column->from]) * column->weight;
    for (int r = 0; r < kNarrowed; ++r) narrow(r, to) = sums[r];
  }
}

}  // namespace

cv::Mat1b SearchableMemory(const cv::Size& size) {
  const cv::Mat1b whole(size.height, (kBefore + size.width + kBehind + 63) / 64 * 64);
  return whole.colRange(kBefore, kBefore + size.width);
}

bool IsSearchable(const cv::Mat& picture) {
  cv::Size whole;
  cv::Point first;
  picture.locateROI(whole, first);
  return first.x >= kBefore && whole.width - first.x - picture.cols >= kBehind;
}

void Interpolate(const cv::Mat1b& from, double step_x, double step_y, cv::Mat1b& to) {
  Resize(from, PlacesByStep(to.cols, step_x), PlacesByStep(to.rows, step_y), true, to);
}

void InterpolateByCorners(const cv::Mat1b& from, cv::Mat1b& to) {
  Resize(from, PlacesByCorners(from.cols, to.cols), PlacesByCorners(from.rows, to.rows), false, to);
}

cv::Mat1b AreaMean(const cv::Mat1b& grey, const cv::Size& size) {
  if (size == grey.size()) return grey.clone();
  const std::vector<Share> columns = SharesOf(grey.cols, size.width);
  const std::vector<Share> rows = SharesOf(grey.rows, size.height);
  cv::Mat1b small(size);
  cv::Mat1f narrow(kNarrowed, size.width), sums(1, size.width, 0.f);
  float* const sum = sums[0];
  int narrowed = -1;  // the first of the rows in `narrow`
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& [from, to, weight] = rows[i];
    const int first = from - from % kNarrowed;
    if (first != narrowed) NarrowRows(grey, columns, first, narrow);
    narrowed = first;
    const float* const row = narrow[from - first];
    for (int x = 0; x < size.width; ++x) sum[x] += weight * row[x];
    if (i + 1 < rows.size() && rows[i + 1].to == to) continue;
    sums.convertTo(small.row(to), CV_8U);
    sums = 0;
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
