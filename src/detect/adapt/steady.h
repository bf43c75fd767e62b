// SteadyFilter holds what is said of a stream of frames still: the log-odds of its small images go
// on along the motion of what they show. Where that was in the image before is found in whole
// numbers: every CPU finds the same motion.
#pragma once

#include <opencv2/core.hpp>
#include <vector>

namespace skinmask {

inline constexpr int kMotionBlock = 8;  // pixels of the small image from block to block
inline constexpr int kMotionUnits = 8;  // a pixel has so many

// A vector (x, y) for each block of kMotionBlock x kMotionBlock pixels, from the first corner on:
// from where its middle is in `now` to where that was in `before`. Both have one size. Motions of
// up to 19 pixels are found; about 0.2 ms for 39,000 pixels.
using BlockMotion = cv::Mat_<cv::Vec2s>;
BlockMotion MotionTo(const cv::Mat1b& before, const cv::Mat1b& now);

// The vectors of the pixels of row y, between those of the blocks' middles.
void MotionOfRow(const BlockMotion& motion, int y, int width, std::vector<cv::Vec2s>& row);

class SteadyFilter {
 public:
  // The filter's time constant in frames; 0: what is now is all that counts.
  explicit SteadyFilter(double frames) { SetTimeConstant(frames); }
  void SetTimeConstant(double frames) { past_share_ = static_cast<float>(frames / (1 + frames)); }

  bool enabled() const { return past_share_ > 0; }
  bool has_past() const { return !log_odds_.empty(); }
  void Clear() { log_odds_.release(); }
  // What is to be added to the log-odds of the next small image, so that they are the filter's:
  // exponential smoothing, in which each pixel goes on from where it was in the image before.
  // Where it had another colour, or was not in that image, nothing is remembered. The filter's
  // log-odds end at +-6: what is beyond, is sure and is told as it is but for what is added. Empty:
  // nothing is to be added, since there is no past.
  cv::Mat1f Add(const cv::Mat3b& small_bgr, const cv::Mat1f& log_odds, const BlockMotion& motion);
  // The filter's log-odds of the last image; no later call writes over them.
  const cv::Mat1f& log_odds() const { return log_odds_; }

 private:
  float past_share_ = 0;
  cv::Mat3b bgr_;
  cv::Mat1f log_odds_;  // of that image, filtered; empty: there was none
};

}  // namespace skinmask
