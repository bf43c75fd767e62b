// A live run is recorded as a video.
#pragma once

#include <tbb/concurrent_queue.h>

#include <atomic>
#include <exception>
#include <filesystem>
#include <opencv2/core.hpp>
#include <optional>
#include <thread>

#include "programs/live/view.h"
#include "skinmask/media/video.h"

namespace skinmask::live {

// A video of the frames that were worked on, each at its own time, encoded on a thread of its own.
// It appears with Finish.
class Recorder {
 public:
  Recorder(const std::filesystem::path& path, View view, IfExists if_exists);
  ~Recorder() { Close(); }  // drops what was not finished

  View view() const { return view_; }
  const std::filesystem::path& path() const { return path_; }
  // `picture` of the view, which nobody may change any more. Waits where the encoder is some frames
  // behind; throws Error where it failed. Frames of another size than the first, from a camera that
  // came back otherwise, are scaled to it. `rate` as the source tells, for players that want one;
  // `pixel_aspect` as LiveFrame has it.
  void Write(const cv::Mat& picture, double seconds, Rational rate, Rational pixel_aspect);
  // The number of frames; nothing is left of a recording without any.
  std::int64_t Finish();

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
  std::optional<VideoWriter> writer_;  // of the thread, until it is joined
  cv::Size size_;                      // likewise

  tbb::concurrent_bounded_queue<std::optional<Item>> waiting_;  // ended by an absent one
  std::exception_ptr failure_;
  std::atomic<bool> failed_{false};  // after `failure_` was set
  std::thread encoder_;
};

}  // namespace skinmask::live
