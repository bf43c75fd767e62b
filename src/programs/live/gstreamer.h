// Frames from the user's GStreamer pipelines (OpenPipeline of programs/live/source.h), and frames
// to such pipelines: a virtual camera, a stream, a file.
#pragma once

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>

#include <atomic>
#include <memory>
#include <opencv2/core.hpp>
#include <string>

#include "skinmask/media/video.h"

namespace skinmask::live {

struct GstUnref {
  void operator()(void* object) const { gst_object_unref(object); }
};
template <class T>
using GstRef = std::unique_ptr<T, GstUnref>;

// A pipeline in the syntax of gst-launch; the destructor stops it. `name` is the subject of errors.
class GstPipeline {
 public:
  GstPipeline(const std::string& description, const std::string& name);
  ~GstPipeline();

  GstElement* get() const { return pipeline_.get(); }
  // The first appsink; null if there is none.
  GstRef<GstAppSink> FindSink() const;
  void Start();
  // Throws Error of the pipeline's first error, if there is one.
  void RequireRunning();
  // Waits until all data have passed. Throws Error if nothing reaches the end of the pipeline for
  // some seconds, or if it failed.
  void WaitForEnd();

 private:
  std::string Complaint();  // the text of the first error; empty if there is none
  void NoteArrivals();

  std::string name_;
  std::atomic<bool> arrived_ = false;  // a buffer at a sink, since the last look
  GstRef<GstElement> pipeline_;
};

// Sends frames to a pipeline.
class PipelineSink {
 public:
  // Starts 'appsrc ! videoconvert ! `rest`'. Throws Error if that is not a pipeline or does not
  // start. With `own_times` pictures keep their own times.
  PipelineSink(const std::string& rest, bool own_times);

  // `picture` is CV_8UC3 or CV_8UC1. Its time is the current time, because sinks that obey times
  // would drop late frames; with own_times it is `seconds`. Waits if the pipeline is some frames
  // behind. Throws Error if the pipeline failed or accepts no more frames. Pictures of another size
  // than the first one are scaled to that. `rate` is that of the source, for sinks that need one.
  void Write(const cv::Mat& picture, double seconds, Rational rate);
  // Waits until everything has passed through. Throws Error if that fails.
  void Finish();

 private:
  void SetFormat(const cv::Size& size, Rational rate);
  void WaitForRoom();

  std::string name_;
  bool own_times_;
  GstPipeline pipeline_;
  GstRef<GstAppSrc> source_;
  cv::Size size_;
};

}  // namespace skinmask::live
