#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "detect/adapt/adapt_steps.h"
#include "detect/adapt/settings.h"

namespace skinmask {
namespace {

constexpr float kCertain = 8;  // log-odds beyond which one is as sure as can be

cv::Mat GreyOf(const cv::Mat& bgr) {
  cv::Mat grey;
  cv::extractChannel(bgr, grey, 1);
  grey.convertTo(grey, CV_32F, 1 / 255.);
  return grey;
}

// 2 P - 1 = tanh(z / 2).
cv::Mat Belief(const cv::Mat& log_odds) {
  cv::Mat belief(log_odds.size(), CV_32FC1);
  for (int y = 0; y < belief.rows; ++y)
    std::transform(log_odds.ptr<float>(y), log_odds.ptr<float>(y) + belief.cols,
                   belief.ptr<float>(y),
                   [](float z) { return std::tanh(std::clamp(z, -kCertain, kCertain) / 2); });
  return belief;
}

// He, Sun, Tang: Guided image filtering, ECCV 2010: in every window the output is slope * guide +
// level, by least squares; both averaged over the windows that hold a pixel.
class Guide {
 public:
  Guide(const cv::Mat& grey, int radius) : grey_(grey), window_(2 * radius + 1, 2 * radius + 1) {
    mean_ = Mean(grey_);
    variance_ = Mean(grey_.mul(grey_)) - mean_.mul(mean_) + double(kEdge);
  }
  // The slope and level of each pixel.
  std::pair<cv::Mat, cv::Mat> Fit(const cv::Mat& input) const {
    const cv::Mat mean = Mean(input);
    const cv::Mat slope = (Mean(grey_.mul(input)) - mean_.mul(mean)) / variance_;
    return {Mean(slope), Mean(mean - slope.mul(mean_))};
  }

 private:
  cv::Mat Mean(const cv::Mat& values) const {
    cv::Mat mean;
    cv::blur(values, mean, window_, {-1, -1}, cv::BORDER_REFLECT);
    return mean;
  }
  cv::Mat grey_, mean_, variance_;
  cv::Size window_;
};

}  // namespace

// Mean field on the small picture, the messages guided by its edges; the last message goes to every
// pixel of the large one, as slope and level, which are smooth where the picture is not (He, Sun:
// Fast guided filter, 2015).
void RefineAlongEdges(const cv::Mat& bgr, const cv::Mat& small_bgr, cv::Mat& log_odds) {
  const int radius =
      std::max(1, cvRound(std::sqrt(static_cast<double>(small_bgr.total())) / kRadii));
  cv::Mat small;
  cv::resize(log_odds, small, small_bgr.size(), 0, 0, cv::INTER_AREA);
  const cv::Mat small_grey = GreyOf(small_bgr);
  const Guide guide(small_grey, radius);
  cv::Mat slope, level, belief = small;
  for (int round = 0; round < kRefineRounds; ++round) {
    std::tie(slope, level) = guide.Fit(Belief(belief));
    belief = small + double(kStrength) * (slope.mul(small_grey) + level);
  }
  thread_local Scratch slope_buffer, level_buffer;
  const cv::Mat large_slope = Enlarged(slope, bgr.size(), slope_buffer);
  const cv::Mat large_level = Enlarged(level, bgr.size(), level_buffer);
  const auto strength = static_cast<float>(kStrength);
  for (int y = 0; y < bgr.rows; ++y) {
    const std::uint8_t* const green = bgr.ptr(y) + 1;
    const float *const a = large_slope.ptr<float>(y), *const b = large_level.ptr<float>(y);
    float* const z = log_odds.ptr<float>(y);
    for (int x = 0; x < bgr.cols; ++x)
      z[x] += strength * (a[x] * (static_cast<float>(green[3 * x]) / 255) + b[x]);
  }
}

}  // namespace skinmask
