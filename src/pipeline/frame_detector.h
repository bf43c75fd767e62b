// What is done with one frame of a video.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "pipeline/plan.h"
#include "pipeline/video_sink.h"
#include "skinmask/detect/detector.h"

namespace skinmask {

// One frame on its way.
struct FrameItem {
  VideoFrame frame;
  std::optional<Picture> picture;                // of it, scaled
  std::shared_ptr<const Adaptation> adaptation;  // null: the model as it is
  std::vector<Rendered> outputs;
  DetectedFrame found;
};

// The steps of a frame that need no other frame. Safe from many threads.
class FrameDetector {
 public:
  // What it is given must outlive it.
  FrameDetector(const Task& task, const DetectOptions& options, const Detector& detector);

  // The picture, ready to be adapted to.
  void Convert(FrameItem& item) const;
  // What was found in it, and what is drawn, prepared for the sink.
  void Detect(FrameItem& item, const VideoSink& sink) const;

 private:
  const Task& task_;
  const DetectOptions& options_;
  const Detector& detector_;
  std::vector<Output> outputs_;
};

}  // namespace skinmask
