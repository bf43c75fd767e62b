// What the element does with its frames, one after the other.
#pragma once

#include <gst/video/video.h>

#include <memory>
#include <optional>

#include "frames.h"
#include "settings.h"
#include "skinmask/detect/adapt_stream.h"
#include "skinmask/detect/detector.h"

namespace skinmask::gstreamer {

class Judge {
 public:
  // Makes ready what `settings` ask for, and that changed; `live` is whether frames come at a time
  // of their own. Throws Error where that cannot be: then all stays as it was, and the same
  // settings are not tried again.
  void Prepare(Settings settings, bool live);
  // Frames of this kind come next.
  void SetInput(const GstVideoInfo& input) { to_bgr_.emplace(input); }
  // Draws what is wanted of `in` into `out`, which has the format of it. Throws Error.
  void Draw(GstVideoFrame& in, Output output, GstVideoFrame& out);

 private:
  void BeginAnew(const Settings& settings);

  std::optional<Settings> tried_;     // the last that were asked for
  std::optional<Settings> prepared_;  // those in force
  double own_threshold_ = 0;          // of the model
  std::optional<Detector> detector_;
  std::optional<StreamAdapter> stream_;  // where something is adapted
  std::optional<ToBgr> to_bgr_;
  cv::Mat mask_;  // that pictures are drawn by: its memory, from frame to frame
};

}  // namespace skinmask::gstreamer
