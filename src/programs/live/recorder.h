// Where the pictures of a live run go: a video, or a GStreamer pipeline of the user's (a virtual
// camera, a stream, a file).
#pragma once

#include <tbb/concurrent_queue.h>

#include <atomic>
#include <exception>
#include <filesystem>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <thread>

#include "programs/live/view.h"
#include "skinmask/media/video.h"

namespace skinmask::live {

// A video of the processed frames, each at its own time, encoded on a thread of its own. The file
// appears with Finish, or before the disk is full.
class Recorder {
 public:
  Recorder(const std::filesystem::path& path, View view, IfExists if_exists);
  ~Recorder() { Close(); }  // removes an unfinished video

  View view() const { return view_; }
  const std::filesystem::path& path() const { return path_; }
  // `picture` is of the view, and must not be changed any more. Waits if the encoder is some frames
  // behind; throws Error if it failed. Frames of another size than the first one, from a camera
  // that was reopened, are scaled to that. `rate` is that of the source, for players that need one;
  // for `pixel_aspect` see LiveFrame.
  void Write(const cv::Mat& picture, double seconds, Rational rate, Rational pixel_aspect);
  // Finishes the file and returns a line for the user. Without any frame there is neither.
  std::string Finish();

 private:
  struct Item {
    cv::Mat picture;
    std::int64_t pts;
    Rational rate, pixel_aspect;
  };
  void EncodeAll();
  void Encode(const Item& item);
  void Close();

  std::filesystem::path path_;
  View view_;
  IfExists if_exists_;
  std::optional<double> start_;
  std::int64_t last_pts_ = -1;
  std::optional<VideoWriter> writer_;  // used by the encoder thread until it is joined
  cv::Size size_;                      // likewise

  tbb::concurrent_bounded_queue<std::optional<Item>> waiting_;  // an absent item is the end
  std::exception_ptr failure_;
  std::atomic<bool> failed_{false};  // set after `failure_`
  std::thread encoder_;
};

// Sends pictures to a pipeline.
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
