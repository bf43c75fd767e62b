#include "detect/adapt/steady.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace skinmask {
namespace {

// What is more certain counts as this, so that no answer takes long to be changed.
constexpr float kCertain = 6;
// Differences of colour, in grey levels summed over the three channels: up to the first it is the
// same thing in the same light, from the second on another one.
constexpr int kSameColor = 16, kOtherColor = 48;

float Bounded(float log_odds) { return std::clamp(log_odds, -kCertain, kCertain); }

// A place of an image between four pixels, in parts of a pixel.
struct Place {
  int x, y, right, down;  // of the first of the four; parts on the way to the next ones

  Place(int pixel_x, int pixel_y, const cv::Vec2s& vector)
      : x(kMotionUnits * pixel_x + vector[0]), y(kMotionUnits * pixel_y + vector[1]) {
    right = x & (kMotionUnits - 1);
    down = y & (kMotionUnits - 1);
    x = (x - right) / kMotionUnits;
    y = (y - down) / kMotionUnits;
  }
  // Whether all four pixels are in the image that count.
  bool IsWithin(const cv::Size& size) const {
    return x >= 0 && y >= 0 && x + (right > 0) < size.width && y + (down > 0) < size.height;
  }
  // The mean of the four, weighing as they are near, by `at(x, y)`.
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

// 1 where the pixel's colour was at that place, too, 0 where there was another one.
float Sameness(const cv::Vec3b& color, const cv::Mat3b& before, const Place& place) {
  int difference = 0;
  for (int i = 0; i < 3; ++i)
    difference +=
        std::abs(color[i] - place.Mean<int>([&](int x, int y) -> int { return before(y, x)[i]; }));
  return static_cast<float>(kOtherColor - std::clamp(difference, kSameColor, kOtherColor)) /
         static_cast<float>(kOtherColor - kSameColor);
}

}  // namespace

cv::Mat1f SteadyFilter::Add(const cv::Mat3b& small_bgr, const cv::Mat1f& log_odds,
                            const BlockMotion& motion) {
  cv::Mat1f filtered(log_odds.size()), gain;
  const cv::Mat1f past = log_odds_;
  if (has_past()) gain = cv::Mat1f::zeros(log_odds.size());
  std::vector<cv::Vec2s> vectors;
  for (int y = 0; y < log_odds.rows; ++y) {
    if (!gain.empty()) MotionOfRow(motion, y, log_odds.cols, vectors);
    for (int x = 0; x < log_odds.cols; ++x) {
      filtered(y, x) = Bounded(log_odds(y, x));
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
