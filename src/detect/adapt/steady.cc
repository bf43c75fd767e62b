#include "detect/adapt/steady.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <opencv2/imgproc.hpp>

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
  const cv::Size size(std::max(1, image.cols / 2), std::max(1, image.rows / 2));
  cv::Mat1b half;
  cv::resize(
      image({0, 0, std::min(2 * size.width, image.cols), std::min(2 * size.height, image.rows)}),
      half, size, 0, 0, cv::INTER_AREA);
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
constexpr float kSameColor = 16, kOtherColor = 48;

// B, G, R and the log-odds of a pixel, as in the rows of a CV_32FC4.
using Four = float __attribute__((vector_size(16), may_alias));
using FourInts = std::int32_t __attribute__((vector_size(16)));

// Where a pixel comes from in the image before: a place between four of its pixels.
class Place {
 public:
  Place(int pixel_x, int pixel_y, const cv::Vec2s& vector)
      : x_(kMotionUnits * pixel_x + vector[0]), y_(kMotionUnits * pixel_y + vector[1]) {
    right_ = x_ & (kMotionUnits - 1);
    down_ = y_ & (kMotionUnits - 1);
    x_ = (x_ - right_) / kMotionUnits;
    y_ = (y_ - down_) / kMotionUnits;
  }
  // Whether all pixels of non-zero weight are in the image.
  bool IsWithin(const cv::Size& size) const {
    return x_ >= 0 && y_ >= 0 && x_ + (right_ > 0) < size.width && y_ + (down_ > 0) < size.height;
  }
  // The mean of the four pixels, weighted by nearness.
  Four Mean(const cv::Mat4f& before) const {
    const auto* const first = reinterpret_cast<const Four*>(before[y_]) + x_;
    const auto* const below = reinterpret_cast<const Four*>(before[y_ + (down_ > 0)]) + x_;
    const int left = kMotionUnits - right_, up = kMotionUnits - down_, next = right_ > 0;
    const auto of = [](int weight, Four pixel) {
      const float share = static_cast<float>(weight) / (kMotionUnits * kMotionUnits);
      return Four{share, share, share, share} * pixel;
    };
    return of(left * up, first[0]) + of(right_ * up, first[next]) + of(left * down_, below[0]) +
           of(right_ * down_, below[next]);
  }

 private:
  int x_, y_, right_, down_;  // of the first pixel; and the parts of a pixel to the next ones
};

// 1 if the pixel had the same colour before, 0 if it had another one, and a value between for
// colours between. The channels of `before` are rounded down to whole grey levels first.
float Sameness(Four pixel, Four before) {
  const Four whole = __builtin_convertvector(__builtin_convertvector(before, FourInts), Four);
  const Four change = pixel - whole;
  const float difference = std::abs(change[0]) + std::abs(change[1]) + std::abs(change[2]);
  return (kOtherColor - std::min(std::max(difference, kSameColor), kOtherColor)) /
         (kOtherColor - kSameColor);
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
  constexpr int kHalf = kMotionBlock / 2, kAll = kMotionBlock * kMotionBlock;
  const auto within = [](int block, int count) { return std::clamp(block, 0, count - 1); };
  // The block whose centre is above the row, or left of the pixel, and the one after it.
  const int above = (y + kHalf) / kMotionBlock - 1, down = (y + kHalf) % kMotionBlock;
  const cv::Vec2s* const first = motion[within(above, motion.rows)];
  const cv::Vec2s* const second = motion[within(above + 1, motion.rows)];
  // kMotionBlock times the vector at a block's centre in this row.
  const auto at = [&](int x) {
    const int i = within(x, motion.cols);
    return cv::Vec2i((kMotionBlock - down) * first[i][0] + down * second[i][0],
                     (kMotionBlock - down) * first[i][1] + down * second[i][1]);
  };
  row.resize(static_cast<std::size_t>(width));
  cv::Vec2i right = at(0);
  for (int x = -kHalf, left_block = -1; x < width; x += kMotionBlock, ++left_block) {
    const cv::Vec2i left = right;
    right = at(left_block + 1);
    for (int i = std::max(0, -x); i < std::min(kMotionBlock, width - x); ++i)
      for (int c = 0; c < 2; ++c) {
        const int sum = (kMotionBlock - i) * left[c] + i * right[c];
        constexpr int kOffset = 1024;  // makes the division that of a positive number: rounded
        row[static_cast<std::size_t>(x + i)][c] =
            static_cast<short>((sum + kAll / 2 + kOffset * kAll) / kAll - kOffset);
      }
  }
}

cv::Mat1f SteadyFilter::Add(const cv::Mat3b& small_bgr, const cv::Mat1f& log_odds,
                            const BlockMotion& motion) {
  const cv::Size size = log_odds.size();
  cv::Mat4f pixels(size);
  cv::Mat1f gain;
  if (has_past()) gain = cv::Mat1f::zeros(size);
  std::vector<cv::Vec2s> vectors;
  for (int y = 0; y < size.height; ++y) {
    if (has_past()) MotionOfRow(motion, y, size.width, vectors);
    const cv::Vec3b* const bgr = small_bgr[y];
    auto* const pixel = reinterpret_cast<Four*>(pixels[y]);
    for (int x = 0; x < size.width; ++x) {
      const float z = std::min(std::max(-kCertain, log_odds(y, x)), kCertain);
      pixel[x] = Four{static_cast<float>(bgr[x][0]), static_cast<float>(bgr[x][1]),
                      static_cast<float>(bgr[x][2]), z};
      if (!has_past()) continue;
      const Place place(x, y, vectors[static_cast<std::size_t>(x)]);
      if (!place.IsWithin(size)) continue;
      const Four before = place.Mean(pixels_);
      gain(y, x) = past_share_ * Sameness(pixel[x], before) * (before[3] - z);
      pixel[x][3] += gain(y, x);
    }
  }
  pixels_ = pixels;
  return gain;
}

cv::Mat1f SteadyFilter::log_odds() const {
  cv::Mat1f z;
  cv::extractChannel(pixels_, z, 3);
  return z;
}

}  // namespace skinmask
