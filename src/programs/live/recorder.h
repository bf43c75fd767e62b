// Records a live run as a video.
#pragma once

#include <tbb/concurrent_queue.h>

#include <atomic>
#include <exception>
#include <filesystem>
#include <opencv2/core.hpp>
#include <optional>
#include <string_view>
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
  // Finishes the file and returns the number of frames. Without any frame there is no file.
  std::int64_t Finish();
  // After Finish: what the file does not hold; empty for nothing.
  std::string_view loss() const {
    return loses_times_ ? ", without the times of its frames (Matroska stores them)" : "";
  }

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
  bool loses_times_ = false;
  std::optional<VideoWriter> writer_;  // used by the encoder thread until it is joined
  cv::Size size_;                      // likewise

  tbb::concurrent_bounded_queue<std::optional<Item>> waiting_;  // an absent item is the end
  std::exception_ptr failure_;
  std::atomic<bool> failed_{false};  // set after `failure_`
  std::thread encoder_;
};

}  // namespace skinmask::live
