// GStreamer's frames as the library has them.
#pragma once

#include <gst/video/video.h>

#include <memory>
#include <opencv2/core.hpp>

#include "skinmask/media/video.h"

namespace skinmask::gstreamer {

// What the element takes, best first.
inline constexpr char kInputFormats[] = "{ NV12, I420, YUY2, Y42B, BGR, BGRx }";

// Pixels of the first plane of a mapped frame of a packed format, where they are.
cv::Mat Packed(const GstVideoFrame& frame);

// A mapped frame, with its planes where they are. The layout is kOther where the library has none
// for it, or not for its colours (BT.2020). Throws Error where rows are stored upside down.
VideoFrame FrameOf(const GstVideoFrame& mapped);

struct FreeConverter {
  void operator()(GstVideoConverter* converter) const { gst_video_converter_free(converter); }
};
using ConverterPtr = std::unique_ptr<GstVideoConverter, FreeConverter>;

// B G R of frames of one format.
class ToBgr {
 public:
  explicit ToBgr(const GstVideoInfo& input);

  // `frame` is FrameOf(mapped). What the library knows is converted as it does; the rest by
  // GStreamer.
  cv::Mat operator()(GstVideoFrame& mapped, const VideoFrame& frame);

 private:
  GstVideoInfo bgr_;
  ConverterPtr converter_;  // where one is needed
};

// From a picture in B G R to frames of one format.
class FromBgr {
 public:
  explicit FromBgr(const GstVideoInfo& output);

  bool is_bgr() const { return !converter_; }
  void operator()(const cv::Mat& bgr, GstVideoFrame& mapped);

 private:
  GstVideoInfo bgr_;
  ConverterPtr converter_;  // where one is needed
};

}  // namespace skinmask::gstreamer
