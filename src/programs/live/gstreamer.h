// Frames come from GStreamer pipelines of the user's (OpenPipeline of programs/live/source.h), and
// go to them: a virtual camera, a stream, a file.
#pragma once

#include <gst/app/gstappsrc.h>

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

// A pipeline as gst-launch takes it, which is stopped with its last use. Errors are of `name`.
class GstPipeline {
 public:
  GstPipeline(const std::string& description, const std::string& name);
  ~GstPipeline();
  GstPipeline(const GstPipeline&) = delete;
  GstPipeline& operator=(const GstPipeline&) = delete;

  GstElement* get() const { return pipeline_.get(); }
  // The first element of a kind ("appsink"); null where there is none.
  GstRef<GstElement> Find(const char* kind) const;
  void Start();
  // Throws Error of the pipeline's first error, if there is one.
  void RequireRunning();
  // Waits for all to have gone through; false where it took longer. Throws Error where it failed.
  bool WaitForEnd(double seconds);

 private:
  std::string Complaint();  // what the first error says; empty where there is none

  std::string name_;
  GstRef<GstElement> pipeline_;
};

// Frames to a pipeline.
class PipelineSink {
 public:
  // 'appsrc ! videoconvert ! `rest`'. Throws Error where that is no pipeline, or does not start.
  // With `own_times` pictures have the times that they are written with.
  PipelineSink(const std::string& rest, bool own_times);

  // `picture` CV_8UC3 or CV_8UC1, whose time is now, unless it has one of its own: sinks that keep
  // to times would drop what is late. Waits where the pipeline is some frames behind; throws Error
  // where it failed or takes no frames any more. Pictures of another size than the first are scaled
  // to it. `rate` as the source tells, for sinks that want one.
  void Write(const cv::Mat& picture, double seconds, Rational rate);
  // Waits until all that was written went through. Throws Error where it did not.
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
