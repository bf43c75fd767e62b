#include "detect/adapt/hog_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

namespace skinmask {
namespace {

// Keeps the `most` greatest elements, in descending order, if there are more.
template <class T, class Member>
void KeepGreatest(std::vector<T>& all, std::size_t most, Member T::*member) {
  if (all.size() <= most) return;
  std::ranges::stable_sort(all, std::greater{}, member);
  all.resize(most);
}

template <class T>
void RemoveDuplicates(std::vector<T>& all) {
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

// Removes the windows of faces that are smaller by the best of their windows.
void RemoveSmaller(double least_size, std::vector<HogFace>& windows) {
  std::vector<HogFace> kept;
  for (const auto& group : GroupsOf(std::move(windows)))
    if (group.front().size() >= least_size) kept.insert(kept.end(), group.begin(), group.end());
  windows = std::move(kept);
}

}  // namespace

double HogSearch::Score(const HogLevel& level, const Window& window) {
  const std::int32_t score = HogRows().score(
      level.Features(window.row - HogLevel::kBefore, window.column - HogLevel::kBefore),
      level.quarter_stride(), static_cast<std::size_t>(window.pattern));
  return std::ldexp(static_cast<double>(score), -HogTables::kScoreBits);
}

// Finds the candidates: of every second window, those that may be a face by their coarse score.
void HogSearch::FindCandidates(const HogLevel& level) {
  const auto rows = static_cast<std::size_t>(level.rows());
  const auto columns = static_cast<std::size_t>(level.columns());
  const std::size_t half = level.coarse_stride() / 2, row = 2 * HogTables::kCoarse * half;
  // Rows are scanned in pairs, so two rows after the last window's are read.
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
    candidates_.resize(count + most);
    count += HogRows().scan({halves_.data(), half}, y, columns, candidates_.data() + count);
  }
  candidates_.resize(count);
  std::erase_if(candidates_, [&](const HogCandidate& c) { return c.row >= level.rows(); });
}

// The windows with a score of at least `enough`. In a picture with too many candidates only the
// best ones are scored, because the picture would take ten times as long as others.
std::vector<HogSearch::Scored> HogSearch::Scan(const HogLevel& level, double enough) {
  // The neighbours of a window with this score may be faces.
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
  RemoveDuplicates(neighbours);
  for (const Window& window : neighbours)
    if (const double score = Score(level, window); score >= enough)
      found.push_back({window, score});
  return found;
}

// Windows within the box, whose features are computed together.
struct HogSearch::Part {
  cv::Rect box;
  std::vector<Window> windows;

  // The number of additional cells along a side that the features of the windows depend on.
  static constexpr int kAround = kHogWindow + 4;
  double Cost() const { return (box.height + kAround) * static_cast<double>(box.width + kAround); }
  Part With(const Part& other) const {
    Part both{box | other.box, windows};
    both.windows.insert(both.windows.end(), other.windows.begin(), other.windows.end());
    return both;
  }
};

// Parts are joined if that reduces the cost.
std::vector<HogSearch::Part> HogSearch::Parts(const std::vector<Scored>& doubtful) {
  std::vector<Part> parts;
  for (const auto& [window, score] : doubtful) {
    Part part{{window.column - 1, window.row - 1, 2, 2}, {window}};
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
  constexpr std::size_t kMaxDoubtful = 200;
  if (doubtful.size() > kMaxDoubtful) return false;
  const std::vector<Part> parts = Parts(doubtful);
  const int rows = between_.rows() + 2, columns = between_.columns() + 2;
  double cost = 0;
  for (const Part& part : parts) cost += part.Cost();
  if (cost > .5 * rows * columns) return false;
  for (const Part& part : parts) {
    // From the cell above and to the left of the first cell of the windows to the one after their
    // last.
    const int first_row = std::max(part.box.y - HogLevel::kBefore - 1, 0);
    const int first_column = std::max(part.box.x - HogLevel::kBefore - 1, 0);
    const int end_row = part.box.br().y - HogLevel::kBefore + kHogWindow + 3;
    const int end_column = part.box.br().x - HogLevel::kBefore + kHogWindow + 3;
    const cv::Point first(kHogCell * first_column, kHogCell * first_row);
    const cv::Point end(end_column >= columns ? picture.cols : kHogCell * end_column,
                        end_row >= rows ? picture.rows : kHogCell * end_row);
    pyramid_.Compute(picture(cv::Rect(first, end)), part_);
    std::vector<Window> windows;
    for (const Window& window : part.windows)
      for (int y = std::max(window.row - 1, 0); y <= std::min(window.row + 1, rows - 3); ++y)
        for (int x = std::max(window.column - 1, 0); x <= std::min(window.column + 1, columns - 3);
             ++x)
          windows.push_back({window.pattern, y, x});
    RemoveDuplicates(windows);
    for (const Window& window : windows) {
      const double score =
          Score(part_, {window.pattern, window.row - first_row, window.column - first_column});
      if (score >= min_score) found.push_back({window, score});
    }
  }
  return true;
}

// Appends the faces of level `l`, which is even, and of the next one, whose features are
// interpolated from it, because computing features takes most of the time.
void HogSearch::AddLevels(std::size_t l, double min_score, std::vector<HogFace>& faces) {
  // Where a window has this score with interpolated features, its features are computed.
  constexpr double kDoubtful = -1.3;
  const auto append = [&faces](const std::vector<Scored>& found, std::size_t level) {
    for (const auto& [window, score] : found)
      faces.push_back(FaceOfWindow(window.pattern, window.row - HogLevel::kBefore,
                                   window.column - HogLevel::kBefore, score,
                                   static_cast<int>(level)));
  };
  const std::vector<cv::Mat1b>& pictures = pyramid_.pictures();
  pyramid_.Compute(pictures[l], level_);
  append(Scan(level_, min_score), l);
  if (l + 1 == pictures.size()) return;
  const cv::Mat1b& next = pictures[l + 1];
  std::vector<Scored> found;
  bool verified = false;
  if (level_.rows() > 1 && level_.columns() > 1) {
    pyramid_.Approximate(level_, next.cols, next.rows, between_);
    verified = Verify(next, Scan(between_, std::min(kDoubtful, min_score - 1)), min_score, found);
  }
  if (!verified) {
    pyramid_.Compute(next, level_);
    found = Scan(level_, min_score);
  }
  append(found, l + 1);
}

std::vector<HogFace> HogSearch::Find(const cv::Mat& grey, double min_score,
                                     double min_relative_size, double certain, double least_size) {
  // The windows of a face are up to two levels around its best one.
  constexpr double kOfWindows = 25. / 36;
  if (HogLevel::CellsOf(std::min(grey.cols, grey.rows)) == 0) return {};
  pyramid_.SetPicture(grey, HogLevels(grey.cols, grey.rows));
  std::vector<HogFace> faces;
  // The large faces, in the small pictures, come first: the largest picture, with the smallest
  // faces, takes half of the time.
  for (std::size_t end = pyramid_.pictures().size(); end > 0;) {
    // The windows of a level are larger than those of the levels before it.
    const double largest = FaceOfWindow(0, 0, 0, 0, static_cast<int>(end - 1)).size();
    if (largest < kOfWindows * least_size) break;
    end = (end - 1) / 2 * 2;
    AddLevels(end, min_score, faces);
    if (min_relative_size > 0)
      least_size = std::max(least_size, min_relative_size * LargestOf(faces, certain));
  }
  if (least_size > 0) RemoveSmaller(least_size, faces);
  std::sort(faces.begin(), faces.end(), IsBetter);
  return faces;
}

}  // namespace skinmask
