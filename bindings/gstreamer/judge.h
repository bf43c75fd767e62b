// Processes the element's frames, one after the other.
#pragma once

#include <gst/video/video.h>

#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

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
  void Prepare(Settings settings, bool live);
  // The same while frames come. Settings that are impossible keep their earlier values, also in
  // `settings`. If they are impossible together, each changed one is tried after the other, and
  // again after others have succeeded. Returns a line for each refused one.
  std::vector<std::string> PrepareWhatCanBe(Settings& settings, bool live);
  // The settings in force, after the first Prepare; kAuto of the search is resolved.
  const Settings& prepared() const { return *prepared_; }
  // Sets the formats of the next frames. Throws Error.
  void SetFormats(const GstVideoInfo& input, const GstVideoInfo& output);
  // Draws `output` of `in` into `out`, which has its format. Throws Error.
  void Draw(GstVideoFrame& in, Output output, GstVideoFrame& out);
  // For a frame that the last settings do not fit, as a seed beyond its border: returns to the last
  // settings that worked for a frame. False if there are none. Throws Error.
  bool TakeBack();
  // The next frame does not continue the last one: nothing is carried over to it.
  void BeginScene();

 private:
  void BeginAnew(const Settings& settings);
  void BeginStream(const Detector& detector, bool aside);
  void SetThreshold(const Settings& settings);
  // `frame` is FrameOf(mapped). Known layouts are converted by the library, others by GStreamer.
  cv::Mat BgrOf(GstVideoFrame& mapped, const VideoFrame& frame);

  std::optional<Settings> prepared_;      // the settings in force
  std::optional<Search> refused_search_;  // a search that is impossible with them
  std::optional<Settings> before_;        // the last settings before them that worked for a frame
  int untried_frames_ = 0;  // until they have worked: errors of a search aside come late
  std::optional<Stream> stream_;
  double rate_ = 0;  // frames a second; 0: unknown
  // Converters of the input and to the output; null if none is needed.
  ConverterPtr to_bgr_, from_bgr_;
  // Memory for masks and drawn pictures, kept from frame to frame.
  cv::Mat mask_, drawn_;
};

}  // namespace skinmask::gstreamer
