// What is done with one frame of a video.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/plan.h"
#include "pipeline/video_sink.h"
#include "skinmask/detect/frame_posterior.h"

namespace skinmask {

// One frame on its way.
struct FrameItem {
  VideoFrame frame;
  // Scaled, as decoded and upright, where something needs them.
  cv::Mat stored_bgr, bgr;
  std::shared_ptr<const Adaptation> adaptation;  // null: the posterior holds
  std::vector<Rendered> outputs;
  DetectedFrame found;
};

// The steps of a frame that need no other frame. Safe from many threads.
class FrameDetector {
 public:
  // What it is given must outlive it.
  FrameDetector(const Task& task, const DetectOptions& options, const FramePosterior& posterior,
                double threshold);

  // The pictures that the next steps need.
  void Convert(FrameItem& item) const;
  // Mask, probability and what is drawn of them, prepared for the sink.
  void Detect(FrameItem& item, const VideoSink& sink) const;

 private:
  // Upright.
  struct Maps {
    cv::Mat mask;
    cv::Mat probability;       // 8 bits, for regions and as an output
    cv::Mat deep_probability;  // 16 bits, as an output
  };
  bool Wants(bool (*is_one)(Output)) const;
  Maps MapsOf(const FrameItem& item) const;
  Maps AdaptedMaps(const FrameItem& item) const;
  cv::Mat Render(Output output, const FrameItem& item, const Maps& maps,
                 const VideoSink& sink) const;

  const Task& task_;
  const DetectOptions& options_;
  const FramePosterior& posterior_;
  const double threshold_;
  const std::vector<Output> outputs_;
  const bool pictures_;            // whether outputs are made of the frame's picture
  const bool deep_, probability_;  // whether P of 16 bits is wanted, and of 8
};

}  // namespace skinmask
