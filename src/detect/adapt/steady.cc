#include "detect/adapt/steady.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace skinmask {
namespace {

// The compared window is larger than the block by half of it on each side, so that a flat block
// moves with its neighbours.
constexpr int kWindow = 2 * kMotionBlock;
constexpr int kLevels = 3;             // each half the size of the one before
constexpr int kFarthest = 4;           // search radius in pixels of the smallest level
constexpr int kMargin = kWindow + 12;  // of repeated border
// A vector that differs from the expected one by a pixel must be better by this many grey levels in
// the sum of differences: a quarter for each pixel of the window.
constexpr int kPricePerPixel = kWindow * kWindow / 4;

// An image with its border repeated around it.
struct Plane {
  cv::Mat1b padded;
  cv::Size size;

  explicit Plane(const cv::Mat1b& image) : size(image.size()) {
    cv::copyMakeBorder(image, padded, kMargin, kMargin, kMargin, kMargin, cv::BORDER_REPLICATE);
  }
  // The first pixel of the window at a place, clamped to the margin.
  const std::uint8_t* At(int x, int y) const {
    const int column = std::clamp(x + kMargin, 0, padded.cols - kWindow);
    return padded.ptr(std::clamp(y + kMargin, 0, padded.rows - kWindow)) + column;
  }
  std::ptrdiff_t stride() const { return static_cast<std::ptrdiff_t>(padded.step); }
};

cv::Mat1b Halved(const cv::Mat1b& image) {
  cv::Mat1b half(std::max(1, image.rows / 2), std::max(1, image.cols / 2));
  for (int y = 0; y < half.rows; ++y) {
    const std::uint8_t* const above = image[2 * y];
    const std::uint8_t* const below = image[std::min(2 * y + 1, image.rows - 1)];
    for (int x = 0; x < half.cols; ++x) {
      const int right = std::min(2 * x + 1, image.cols - 1);
      half(y, x) = static_cast<std::uint8_t>(
          (above[2 * x] + above[right] + below[2 * x] + below[right] + 2) / 4);
    }
  }
  return half;
}

int SumOfDifferences(const std::uint8_t* a, std::ptrdiff_t a_stride, const std::uint8_t* b,
                     std::ptrdiff_t b_stride) {
  int sum = 0;
  for (int y = 0; y < kWindow; ++y, a += a_stride, b += b_stride)
    for (int x = 0; x < kWindow; ++x) sum += std::abs(a[x] - b[x]);
  return sum;
}

// The best vector of one block so far.
class BlockSearch {
 public:
  BlockSearch(const Plane& now, const Plane& before, int block_x, int block_y, cv::Vec2s expected)
      : before_(before),
        x_(block_x * kMotionBlock - kMotionBlock / 2),
        y_(block_y * kMotionBlock - kMotionBlock / 2),
        window_(now.At(x_, y_)),
        stride_(now.stride()),
        expected_(expected) {}

  int Difference(int dx, int dy) const {
    return SumOfDifferences(window_, stride_, before_.At(x_ + dx, y_ + dy), before_.stride());
  }
  void Try(int dx, int dy) {
    const int cost = Difference(dx, dy) +
                     kPricePerPixel * (std::abs(dx - expected_[0]) + std::abs(dy - expected_[1]));
    if (cost >= least_) return;
    least_ = cost;
    best_ = {static_cast<short>(dx), static_cast<short>(dy)};
  }
  void TryAround(cv::Vec2s middle, int radius) {
    for (int dy = -radius; dy <= radius; ++dy)
      for (int dx = -radius; dx <= radius; ++dx) Try(middle[0] + dx, middle[1] + dy);
  }
  cv::Vec2s best() const { return best_; }

  // The best vector in eighths of a pixel, by parabolas through the neighbouring differences.
  cv::Vec2s Finer() const {
    const int here = Difference(best_[0], best_[1]);
    const auto part = [&](int less, int more) {
      const int bend = less - 2 * here + more;
      if (bend <= 0) return 0;
      constexpr int kHalf = kMotionUnits / 2;
      return std::clamp(kHalf * (less - more) / bend, -kHalf, kHalf);
    };
    const int x = part(Difference(best_[0] - 1, best_[1]), Difference(best_[0] + 1, best_[1]));
    const int y = part(Difference(best_[0], best_[1] - 1), Difference(best_[0], best_[1] + 1));
    return {static_cast<short>(kMotionUnits * best_[0] + x),
            static_cast<short>(kMotionUnits * best_[1] + y)};
  }

 private:
  const Plane& before_;
  int x_, y_;
  const std::uint8_t* window_;
  std::ptrdiff_t stride_;
  cv::Vec2s expected_, best_;
  int least_ = 1 << 30;
};

// Twice the vectors, at the level of half the size, of the block and of those beside it; 0 without
// such a level.
std::array<cv::Vec2s, 5> Coarser(const BlockMotion& coarse, int block_x, int block_y) {
  std::array<cv::Vec2s, 5> vectors;
  if (coarse.empty()) return vectors;
  constexpr int kBeside[5][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const int x = std::clamp(block_x / 2 + kBeside[i][0], 0, coarse.cols - 1);
    const int y = std::clamp(block_y / 2 + kBeside[i][1], 0, coarse.rows - 1);
    const cv::Vec2s& v = coarse(y, x);
    vectors[i] = {static_cast<short>(2 * v[0]), static_cast<short>(2 * v[1])};
  }
  return vectors;
}

BlockMotion VectorsOf(const Plane& now, const Plane& before, const BlockMotion& coarse,
                      bool is_last) {
  const auto blocks = [](int side) { return (side + kMotionBlock - 1) / kMotionBlock; };
  BlockMotion vectors(blocks(now.size.height), blocks(now.size.width));
  for (int y = 0; y < vectors.rows; ++y)
    for (int x = 0; x < vectors.cols; ++x) {
      const auto candidates = Coarser(coarse, x, y);
      BlockSearch search(now, before, x, y, candidates[0]);
      for (const cv::Vec2s& v : candidates) search.Try(v[0], v[1]);
      search.Try(0, 0);
      search.TryAround(search.best(), coarse.empty() ? kFarthest : 1);
      vectors(y, x) = is_last ? search.Finer() : search.best();
    }
  return vectors;
}

// Log-odds are clamped to this, so that no pixel takes long to change.
constexpr float kCertain = 6;
// Differences of colour, in grey levels summed over the three channels. Up to the first it is the
// same object in the same light, from the second on it is another one.
constexpr int kSameColor = 16, kOtherColor = 48;

// A place between four pixels of an image.
struct Place {
  int x, y, right, down;  // of the first pixel; and the parts of a pixel to the next ones

  Place(int pixel_x, int pixel_y, const cv::Vec2s& vector)
      : x(kMotionUnits * pixel_x + vector[0]), y(kMotionUnits * pixel_y + vector[1]) {
    right = x & (kMotionUnits - 1);
    down = y & (kMotionUnits - 1);
    x = (x - right) / kMotionUnits;
    y = (y - down) / kMotionUnits;
  }
  // Whether all pixels of non-zero weight are in the image.
  bool IsWithin(const cv::Size& size) const {
    return x >= 0 && y >= 0 && x + (right > 0) < size.width && y + (down > 0) < size.height;
  }
  // The mean of the four values `at(x, y)`, weighted by nearness.
  template <class T, class At>
  T Mean(const At& at) const {
    constexpr int kAll = kMotionUnits * kMotionUnits;
    const int next_x = x + (right > 0), next_y = y + (down > 0);
    const int left = kMotionUnits - right, up = kMotionUnits - down;
    return (static_cast<T>(left * up) * at(x, y) + static_cast<T>(right * up) * at(next_x, y) +
            static_cast<T>(left * down) * at(x, next_y) +
            static_cast<T>(right * down) * at(next_x, next_y)) /
           static_cast<T>(kAll);
  }
};

// 1 if that place had the pixel's colour before, 0 if it had another one.
float Sameness(const cv::Vec3b& color, const cv::Mat3b& before, const Place& place) {
  int difference = 0;
  for (int i = 0; i < 3; ++i)
    difference +=
        std::abs(color[i] - place.Mean<int>([&](int x, int y) -> int { return before(y, x)[i]; }));
  return static_cast<float>(kOtherColor - std::clamp(difference, kSameColor, kOtherColor)) /
         static_cast<float>(kOtherColor - kSameColor);
}

}  // namespace

BlockMotion MotionTo(const cv::Mat1b& before, const cv::Mat1b& now) {
  std::vector<cv::Mat1b> of_now{now}, of_before{before};
  for (int level = 1; level < kLevels; ++level) {
    of_now.push_back(Halved(of_now.back()));
    of_before.push_back(Halved(of_before.back()));
  }
  BlockMotion motion;
  for (std::size_t level = of_now.size(); level-- > 0;)
    motion = VectorsOf(Plane(of_now[level]), Plane(of_before[level]), motion, level == 0);
  return motion;
}

void MotionOfRow(const BlockMotion& motion, int y, int width, std::vector<cv::Vec2s>& row) {
  constexpr int kHalf = kMotionBlock / 2;
  const auto between = [](int place, int count, int& first, int& second) {
    const int block = (place + kHalf) / kMotionBlock - 1;  // its centre is before the place
    first = std::clamp(block, 0, count - 1);
    second = std::clamp(block + 1, 0, count - 1);
    return (place + kHalf) % kMotionBlock;
  };
  row.resize(static_cast<std::size_t>(width));
  int above = 0, below = 0, left = 0, right = 0;
  const int down = between(y, motion.rows, above, below), up = kMotionBlock - down;
  const cv::Vec2s *const first = motion[above], *const second = motion[below];
  for (int x = 0; x < width; ++x) {
    const int to_right = between(x, motion.cols, left, right), to_left = kMotionBlock - to_right;
    for (int i = 0; i < 2; ++i) {
      const int sum = to_left * (up * first[left][i] + down * second[left][i]) +
                      to_right * (up * first[right][i] + down * second[right][i]);
      constexpr int kAll = kMotionBlock * kMotionBlock;
      constexpr int kOffset = 1024;  // makes the division that of a positive number: rounded
      row[static_cast<std::size_t>(x)][i] =
          static_cast<short>((sum + kAll / 2 + kOffset * kAll) / kAll - kOffset);
    }
  }
}

cv::Mat1f SteadyFilter::Add(const cv::Mat3b& small_bgr, const cv::Mat1f& log_odds,
                            const BlockMotion& motion) {
  cv::Mat1f filtered(log_odds.size()), gain;
  const cv::Mat1f past = log_odds_;
  if (has_past()) gain = cv::Mat1f::zeros(log_odds.size());
  std::vector<cv::Vec2s> vectors;
  for (int y = 0; y < log_odds.rows; ++y) {
    if (!gain.empty()) MotionOfRow(motion, y, log_odds.cols, vectors);
    for (int x = 0; x < log_odds.cols; ++x) {
      filtered(y, x) = std::clamp(log_odds(y, x), -kCertain, kCertain);
      if (gain.empty()) continue;
      const Place place(x, y, vectors[static_cast<std::size_t>(x)]);
      if (!place.IsWithin(past.size())) continue;
      const float before = place.Mean<float>([&](int u, int v) -> float { return past(v, u); });
      gain(y, x) = past_share_ * Sameness(small_bgr(y, x), bgr_, place) * (before - filtered(y, x));
      filtered(y, x) += gain(y, x);
    }
  }
  bgr_ = small_bgr.clone();
  log_odds_ = filtered;
  return gain;
}

}  // namespace skinmask
