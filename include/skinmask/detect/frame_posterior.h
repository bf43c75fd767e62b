// A compiled model for frames of videos and cameras, and for JPEGs as they are stored.
#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "skinmask/media/video.h"
#include "skinmask/model/posterior.h"
#include "skinmask/model/yuv_quadratic.h"

namespace [[gnu::visibility("default")]] skinmask {

// A Posterior for frames in their own layout. If the model is a quadratic, frames in YUV are
// classified by CompiledYuvQuadratic without conversion to BGR; all others by Posterior. (YUV is
// neither rounded nor clamped on this way, so a few pixels in a thousand differ from a converted
// frame's.)
class FramePosterior {
 public:
  enum class Pixels { kYuv, kBgr };  // kBgr: always convert to BGR

  explicit FramePosterior(const Model& model, Pixels pixels = Pixels::kYuv,
                          const PosteriorOptions& options = {});

  // Whether any frame is classified without conversion to BGR, and whether this frame is.
  bool TakesYuv() const { return !yuv_.empty(); }
  bool TakesYuv(const VideoFrame& frame) const;
  // Mask and probability of the frame, CV_8UC1 of its stored size, as Posterior's rows;
  // VideoFrame::Upright rotates them. For a frame without TakesYuv they are those of its stored
  // BGR. `memory` is used if it fits. Rows run in parallel; safe from many threads.
  cv::Mat Mask(const VideoFrame& frame, cv::Mat memory = {}) const;
  cv::Mat Probability(const VideoFrame& frame, cv::Mat memory = {}) const;
  // The log-odds z of the frame, CV_32FC1: in double, rounded to float. Some 20 times slower.
  cv::Mat LogOdds(const VideoFrame& frame) const;

  // The posterior of BGR pixels.
  const Posterior& posterior() const { return posterior_; }

 private:
  struct OfYuv {
    CompiledYuvQuadratic compiled;
    Quadratic log_odds;
  };

  Posterior posterior_;
  std::vector<OfYuv> yuv_;  // for each matrix and range; empty if the model is no quadratic
};

}  // namespace skinmask
