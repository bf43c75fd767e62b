// The destination of the outputs of one video: other videos, or folders of single images.
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
  cv::Mat picture;    // CV_8UC1, 16UC1, 8UC3 or 8UC4; class indices for kClasses
  std::string bytes;  // the encoded file, if frames become files
};

class VideoSink {
 public:
  explicit VideoSink(const DetectOptions& options) : options_(options) {}
  virtual ~VideoSink() = default;
  // The form in which the sink expects outputs.
  virtual OutputForm Form() const = 0;
  // Does the part of the work that does not depend on the order of frames. Thread-safe.
  virtual void Prepare(Rendered&) const {}
  // Called for the frames in order.
  virtual void Write(const VideoFrame& frame, const std::vector<Rendered>& outputs) = 0;
  // Completes the files; without this call incomplete files are removed. Returns warnings, for
  // example about sound, of outputs whose pictures are complete. Throws Error.
  virtual std::vector<std::string> Finish() { return {}; }

 protected:
  const DetectOptions& options_;
};

// Throws Error if an output exists already or cannot be written. `options` must outlive the sink.
// `size` is the upright size, `first` the timestamp of the first frame.
std::unique_ptr<VideoSink> MakeVideoSink(const Task& task, const DetectOptions& options,
                                         const VideoInfo& info, std::int64_t first,
                                         const cv::Size& size, std::size_t class_count);

}  // namespace skinmask
