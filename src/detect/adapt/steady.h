// SteadyFilter smooths the log-odds of a stream's small images along the motion of their content.
// The motion is found with integers, so every CPU finds the same one.
#pragma once

#include <opencv2/core.hpp>
#include <vector>

namespace skinmask {

inline constexpr int kMotionBlock = 8;  // pixels of the small image per block
inline constexpr int kMotionUnits = 8;  // vectors are in units of 1/8 pixel

// A vector (x, y) for each block of kMotionBlock x kMotionBlock pixels, from the first corner on:
// from the block's centre in `now` to the same content in `before`. Both images have one size.
// Motions of up to 19 pixels are found; about 0.2 ms for 39,000 pixels.
using BlockMotion = cv::Mat_<cv::Vec2s>;
BlockMotion MotionTo(const cv::Mat1b& before, const cv::Mat1b& now);

// The vectors of the pixels of row y, interpolated between the centres of the blocks.
void MotionOfRow(const BlockMotion& motion, int y, int width, std::vector<cv::Vec2s>& row);

class SteadyFilter {
 public:
  // The filter's time constant in frames; 0: no smoothing.
  explicit SteadyFilter(double frames) { SetTimeConstant(frames); }
  void SetTimeConstant(double frames) { past_share_ = static_cast<float>(frames / (1 + frames)); }

  bool enabled() const { return past_share_ > 0; }
  bool has_past() const { return !pixels_.empty(); }
  void Clear() { pixels_.release(); }
  // The change of the next small image's log-odds that smooths them: exponential smoothing, in
  // which each pixel continues from its place in the image before. A pixel that had another colour
  // there, or was outside of that image, has no past. The filter's log-odds are clamped to +-6; an
  // image's log-odds beyond are certain and keep their value, plus the change. Empty: no change,
  // because there is no past.
  cv::Mat1f Add(const cv::Mat3b& small_bgr, const cv::Mat1f& log_odds, const BlockMotion& motion);
  // The filter's log-odds of the last image.
  cv::Mat1f log_odds() const;

 private:
  float past_share_ = 0;
  cv::Mat4f pixels_;  // B, G, R and filtered log-odds of the last image; empty without a past
};

}  // namespace skinmask
