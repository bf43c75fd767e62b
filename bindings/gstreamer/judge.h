// Processes the element's frames, one after the other.
#pragma once

#include <gst/video/video.h>

#include <memory>
#include <opencv2/core.hpp>
#include <optional>

#include "settings.h"
#include "skinmask/detect/detector.h"
#include "skinmask/media/video.h"

namespace skinmask::gstreamer {

// The input formats of the element, best first.
inline constexpr char kInputFormats[] = "{ NV12, I420, YUY2, Y42B, BGR, BGRx }";

struct FreeConverter {
  void operator()(GstVideoConverter* converter) const { gst_video_converter_free(converter); }
};
using ConverterPtr = std::unique_ptr<GstVideoConverter, FreeConverter>;

class Judge {
 public:
  // Applies the `settings` that have changed; `live` is whether frames come in real time. Throws
  // Error if that is impossible, and then changes nothing.
  void Prepare(const Settings& settings, bool live);
  // The settings in force, after the first Prepare.
  const Settings& prepared() const { return *prepared_; }
  // Sets the formats of the next frames. Throws Error.
  void SetFormats(const GstVideoInfo& input, const GstVideoInfo& output);
  // Draws `output` of `in` into `out`, which has its format. Throws Error.
  void Draw(GstVideoFrame& in, Output output, GstVideoFrame& out);
  // After Prepare or Draw failed with these settings: if they are in force, because only the frame
  // showed that they are impossible (a seed beyond its border), returns to the last settings that
  // worked for a frame. False if there are none. If the stream was to begin anew only because its
  // source is live, it goes on as it is. Throws Error.
  bool TakeBack(const Settings& refused, bool live);
  // The next frame does not continue the last one: nothing is carried over to it.
  void BeginScene();

 private:
  void BeginAnew(const Settings& settings, bool aside);
  void BeginStream(const Detector& detector);
  // `frame` is FrameOf(mapped). Known layouts are converted by the library, others by GStreamer.
  cv::Mat BgrOf(GstVideoFrame& mapped, const VideoFrame& frame);

  std::optional<Settings> prepared_;  // the settings in force
  bool aside_ = false;                // how their faces are searched for
  std::optional<Settings> before_;    // the last settings before them that worked for a frame
  int untried_frames_ = 0;            // until they have worked: errors of a search aside come late
  std::optional<Stream> stream_;
  double rate_ = 0;  // frames a second; 0: unknown
  // Converters of the input and to the output; null if none is needed.
  ConverterPtr to_bgr_, from_bgr_;
  // Memory for masks and drawn pictures, kept from frame to frame.
  cv::Mat mask_, drawn_;
};

}  // namespace skinmask::gstreamer
