#include "detect/adapt/refine.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <tuple>
#include <utility>

#include "base/parallel_rows.h"
#include "detect/adapt/small_image.h"

namespace skinmask {
namespace {

constexpr float kMaxLogOdds = 8;  // beyond which one is as sure as can be

cv::Mat GreyOf(const cv::Mat& bgr) {
  cv::Mat grey;
  cv::extractChannel(bgr, grey, 1);
  grey.convertTo(grey, CV_32F, 1 / 255.);
  return grey;
}

// The mean of a label of +1 or -1: 2 P - 1 = tanh(z / 2).
cv::Mat MeanLabel(const cv::Mat& log_odds) {
  cv::Mat mean(log_odds.size(), CV_32FC1);
  for (int y = 0; y < mean.rows; ++y)
    std::transform(log_odds.ptr<float>(y), log_odds.ptr<float>(y) + mean.cols, mean.ptr<float>(y),
                   [](float z) { return std::tanh(std::clamp(z, -kMaxLogOdds, kMaxLogOdds) / 2); });
  return mean;
}

// He, Sun, Tang: Guided image filtering, ECCV 2010: in every window the output is slope * guide +
// offset, by least squares; both averaged over the windows that hold a pixel.
class GuidedFilter {
 public:
  GuidedFilter(const cv::Mat& guide, int radius, double epsilon)
      : guide_(guide), window_(2 * radius + 1, 2 * radius + 1) {
    mean_ = Mean(guide_);
    variance_ = Mean(guide_.mul(guide_)) - mean_.mul(mean_) + epsilon;
  }
  // The slope and offset of each pixel.
  std::pair<cv::Mat, cv::Mat> Fit(const cv::Mat& input) const {
    const cv::Mat mean = Mean(input);
    const cv::Mat slope = (Mean(guide_.mul(input)) - mean_.mul(mean)) / variance_;
    return {Mean(slope), Mean(mean - slope.mul(mean_))};
  }

 private:
  cv::Mat Mean(const cv::Mat& values) const {
    cv::Mat mean;
    cv::blur(values, mean, window_, {-1, -1}, cv::BORDER_REFLECT);
    return mean;
  }
  cv::Mat guide_, mean_, variance_;
  cv::Size window_;
};

}  // namespace

void RefineLogOdds(const cv::Mat& bgr, const cv::Mat& small_bgr, const RefinementOptions& options,
                   cv::Mat& log_odds) {
  const double side = std::sqrt(static_cast<double>(small_bgr.total()));
  const int radius = std::max(1, cvRound(side / options.radii_per_side));
  cv::Mat small;
  cv::resize(log_odds, small, small_bgr.size(), 0, 0, cv::INTER_AREA);
  const cv::Mat grey = GreyOf(small_bgr);
  const GuidedFilter filter(grey, radius, options.epsilon);
  cv::Mat slope, offset, refined = small;
  for (int round = 0; round < options.rounds; ++round) {
    std::tie(slope, offset) = filter.Fit(MeanLabel(refined));
    refined = small + options.pairwise_weight * (slope.mul(grey) + offset);
  }
  thread_local Scratch slope_buffer, offset_buffer;
  const cv::Mat large_slope = Enlarged(slope, bgr.size(), slope_buffer);
  const cv::Mat large_offset = Enlarged(offset, bgr.size(), offset_buffer);
  const auto weight = static_cast<float>(options.pairwise_weight);
  ForRowsOf(bgr.cols, bgr.rows, [&](int y) {
    const std::uint8_t* const green = bgr.ptr(y) + 1;
    const float *const a = large_slope.ptr<float>(y), *const b = large_offset.ptr<float>(y);
    float* const z = log_odds.ptr<float>(y);
    for (int x = 0, width = bgr.cols; x < width; ++x)
      z[x] += weight * (a[x] * (static_cast<float>(green[3 * x]) / 255) + b[x]);
  });
}

}  // namespace skinmask
