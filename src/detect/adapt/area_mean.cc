#include "detect/adapt/area_mean.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace skinmask {
namespace {

// A pixel of the large picture has this weight in one of the small one.
struct Share {
  int from, to;
  float weight;
};

// Of one side: in the order in which they are added.
std::vector<Share> SharesOf(int from, int to) {
  constexpr double kLeast = 1e-3;  // of a pixel
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

}  // namespace

cv::Mat1b AreaMean(const cv::Mat1b& grey, const cv::Size& size) {
  if (size == grey.size()) return grey.clone();
  const std::vector<Share> columns = SharesOf(grey.cols, size.width);
  const std::vector<Share> rows = SharesOf(grey.rows, size.height);
  cv::Mat1b small(size);
  std::vector<float> row(static_cast<std::size_t>(size.width)), sum(row.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint8_t* const in = grey.ptr(rows[i].from);
    std::fill(row.begin(), row.end(), 0.F);
    for (const Share& c : columns)
      row[static_cast<std::size_t>(c.to)] += static_cast<float>(in[c.from]) * c.weight;
    const bool is_first = i == 0 || rows[i - 1].to != rows[i].to;
    for (std::size_t x = 0; x < row.size(); ++x) {
      const float part = rows[i].weight * row[x];
      sum[x] = is_first ? part : sum[x] + part;
    }
    if (i + 1 < rows.size() && rows[i + 1].to == rows[i].to) continue;
    std::uint8_t* const out = small.ptr(rows[i].to);
    for (std::size_t x = 0; x < sum.size(); ++x) out[x] = cv::saturate_cast<std::uint8_t>(sum[x]);
  }
  return small;
}

cv::Mat Reductions::At(const cv::Size& size, int rest) {
  std::size_t i = 0;
  while (halves_[i].cols >= 2 * size.width && halves_[i].rows >= 2 * size.height)
    if (++i == halves_.size()) {
      const cv::Mat last = halves_.back();
      cv::resize(last({0, 0, last.cols & ~1, last.rows & ~1}), halves_.emplace_back(),
                 {last.cols / 2, last.rows / 2}, 0, 0, cv::INTER_AREA);
    }
  const cv::Mat& grey = halves_[i];
  if (rest == cv::INTER_AREA && grey.cols >= size.width && grey.rows >= size.height)
    return AreaMean(grey, size);
  cv::Mat smaller;
  cv::resize(grey, smaller, size, 0, 0, rest);
  return smaller;
}

}  // namespace skinmask
