// A compiled model for the frames of videos and cameras, and for JPEGs as they are stored.
#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "skinmask/data/yuv_encoding.h"
#include "skinmask/media/video.h"
#include "skinmask/model/posterior.h"
#include "skinmask/model/yuv_quadratic.h"

namespace [[gnu::visibility("default")]] skinmask {

// Posterior for frames in the layout that they come in: a model that is a quadratic goes through
// CompiledYuvQuadratic on frames in YUV, without an image in BGR; all else through Posterior. (YUV
// is neither rounded nor clamped on the way, so a few pixels in a thousand differ between the two.)
class FramePosterior {
 public:
  enum class Pixels { kYuv, kBgr };  // kBgr: always through BGR

  explicit FramePosterior(const Model& model, Pixels pixels = Pixels::kYuv,
                          const PosteriorOptions& options = {});

  // Whether there are frames whose masks and probabilities are made without an image in BGR, and
  // whether this frame is one of them.
  bool TakesYuv() const { return !yuv_.empty(); }
  bool TakesYuv(const VideoFrame& frame) const;
  // CV_8UC1 of the stored size, as Posterior's rows: VideoFrame::Upright turns them. `memory` is
  // used where it fits. Of a frame that TakesYuv is false of, they are those of its BGR as it is
  // stored. Rows in parallel; safe from many threads.
  cv::Mat Mask(const VideoFrame& frame, cv::Mat memory = {}) const;
  cv::Mat Probability(const VideoFrame& frame, cv::Mat memory = {}) const;
  // z likewise, CV_32FC1: in double, rounded to float. Some 20 times slower.
  cv::Mat LogOdds(const VideoFrame& frame) const;

  // Of BGR.
  const Posterior& posterior() const { return posterior_; }

 private:
  const CompiledYuvQuadratic& Compiled(const YuvEncoding& encoding) const;
  const Quadratic& LogOddsIn(const YuvEncoding& encoding) const;

  Posterior posterior_;
  // By matrix and range; none where the model allows none.
  std::vector<CompiledYuvQuadratic> yuv_;
  std::vector<Quadratic> yuv_log_odds_;
};

}  // namespace skinmask
