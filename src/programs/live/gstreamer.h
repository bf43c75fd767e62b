// Frames to the user's GStreamer pipelines: a virtual camera, a stream, a file. (Frames from such
// pipelines: OpenPipeline of programs/live/source.h.)
#pragma once

#include <memory>
#include <opencv2/core.hpp>
#include <string>

#include "skinmask/media/video.h"

namespace skinmask::live {

class FrameSink {
 public:
  virtual ~FrameSink() = default;
  // `picture` is CV_8UC3 or CV_8UC1. Its time is the current time, because sinks that obey times
  // would drop late frames; with own_times it is `seconds`. Waits if the pipeline is some frames
  // behind. Throws Error if the pipeline failed or accepts no more frames. Pictures of another size
  // than the first one are scaled to that. `rate` is that of the source, for sinks that need one.
  virtual void Write(const cv::Mat& picture, double seconds, Rational rate) = 0;
  // Waits until everything has passed through. Throws Error if nothing reaches the end of the
  // pipeline for some seconds, or if it failed.
  virtual void Finish() = 0;
};

// Starts 'appsrc ! videoconvert ! `rest`'. Throws Error if that is not a pipeline or does not
// start. With `own_times` pictures keep their own times.
std::unique_ptr<FrameSink> OpenSink(const std::string& rest, bool own_times);

}  // namespace skinmask::live
