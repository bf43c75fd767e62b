// One picture to be judged, in the form that it came in.
#pragma once

#include <functional>
#include <opencv2/core.hpp>
#include <optional>
#include <utility>

#include "skinmask/media/video.h"

namespace [[gnu::visibility("default")]] skinmask {

// What is adapted to, and what is drawn in, takes B G R; a model that is a quadratic judges planes
// of YUV as they are. So each is made when it is first asked for, and then kept. One thread at a
// time.
class Picture {
 public:
  using MakeBgr = std::function<cv::Mat()>;
  using MakePlanes = std::function<std::optional<VideoFrame>()>;

  // CV_8UC3, channels B G R, upright.
  Picture(cv::Mat bgr) : bgr_(std::move(bgr)) {}
  // A frame, maybe rotated. `bgr` makes its B G R, upright; null: VideoFrame::Bgr does.
  explicit Picture(VideoFrame frame, MakeBgr bgr = nullptr)
      : make_bgr_(std::move(bgr)), planes_(std::move(frame)) {}
  // Bytes that are decoded when it is known to what: `planes` may give none.
  Picture(MakePlanes planes, MakeBgr bgr)
      : make_bgr_(std::move(bgr)), make_planes_(std::move(planes)) {}

  const cv::Mat& Bgr() const {
    if (bgr_.empty() && make_bgr_) bgr_ = make_bgr_();
    if (bgr_.empty() && planes_) bgr_ = planes_->Bgr();
    return bgr_;
  }
  // Null where it has none.
  const VideoFrame* Planes() const {
    if (make_planes_) planes_ = std::exchange(make_planes_, nullptr)();
    return planes_ ? &*planes_ : nullptr;
  }

 private:
  MakeBgr make_bgr_;
  mutable MakePlanes make_planes_;  // until it was called
  mutable cv::Mat bgr_;
  mutable std::optional<VideoFrame> planes_;
};

}  // namespace skinmask
