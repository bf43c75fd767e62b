// Frames to a GStreamer pipeline of the user's: a virtual camera, a stream, a file.
#pragma once

#include <gst/app/gstappsrc.h>

#include <opencv2/core.hpp>
#include <string>

#include "programs/live/gstreamer.h"
#include "skinmask/media/video.h"

namespace skinmask::live {

class PipelineSink {
 public:
  // 'appsrc ! videoconvert ! `rest`'. Throws Error where that is no pipeline, or does not start.
  explicit PipelineSink(const std::string& rest);

  // `picture` CV_8UC3 or CV_8UC1, whose time is now: sinks that keep to times would drop what is
  // late. Waits where the pipeline is some frames behind; throws Error where it failed or takes no
  // frames any more. Pictures of another size than the first are scaled to it.
  // `rate` as the source tells, for sinks that want one.
  void Write(const cv::Mat& picture, Rational rate);
  // Waits until all that was written went through. Throws Error where it did not.
  void Finish();

 private:
  void SetFormat(const cv::Size& size, Rational rate);
  void WaitForRoom();
  void ThrowComplaint();

  std::string name_;
  GstPipeline pipeline_;
  GstRef<GstElement> source_;
  cv::Size size_;
};

}  // namespace skinmask::live
