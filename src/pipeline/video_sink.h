// Where the outputs of one video go: other videos, or folders of single images.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pipeline/plan.h"
#include "skinmask/media/video.h"

namespace skinmask {

// One output of one frame, upright.
struct Rendered {
  Output output;
  cv::Mat picture;    // CV_8UC1, 16UC1, 8UC3 or 8UC4; of kClasses the indices
  std::string bytes;  // of the file, where frames become files
};

class VideoSink {
 public:
  explicit VideoSink(const DetectOptions& options) : options_(options) {}
  virtual ~VideoSink() = default;
  // The form that it takes outputs in.
  virtual OutputForm Form() const = 0;
  // What can be done for a frame before its turn comes; safe from many threads.
  virtual void Prepare(Rendered&) const {}
  // Frames in order.
  virtual void Write(const VideoFrame& frame, const std::vector<Rendered>& outputs) = 0;
  // Without it, what is no complete file vanishes. Throws Error.
  virtual void Finish() {}
  // Lines about what could not be done beside the pictures, which are complete; after Finish.
  const std::vector<std::string>& warnings() const { return warnings_; }

 protected:
  const DetectOptions& options_;
  std::vector<std::string> warnings_;
};

// Throws Error where an output is there already, or cannot be written. `options` outlive it. `size`
// is the upright one, `first` the timestamp of the first frame.
std::unique_ptr<VideoSink> MakeVideoSink(const Task& task, const DetectOptions& options,
                                         const VideoInfo& info, std::int64_t first,
                                         const cv::Size& size, std::size_t class_count);

}  // namespace skinmask
