// What the element does with its frames, one after the other.
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

// What the element takes, best first.
inline constexpr char kInputFormats[] = "{ NV12, I420, YUY2, Y42B, BGR, BGRx }";

struct FreeConverter {
  void operator()(GstVideoConverter* converter) const { gst_video_converter_free(converter); }
};
using ConverterPtr = std::unique_ptr<GstVideoConverter, FreeConverter>;

class Judge {
 public:
  // Makes ready what `settings` ask for, and that changed; `live` is whether frames come at a time
  // of their own. Throws Error where that cannot be: then all stays as it was.
  void Prepare(Settings settings, bool live);
  // The same while frames come: what cannot be had is as it was before, also in `settings`. Where
  // they cannot be had together, each that changed is tried after the other, and again after those
  // that could be had. Returns a line for each that could not.
  std::vector<std::string> PrepareWhatCanBe(Settings& settings, bool live);
  // Those in force, after the first Prepare; what they search by is decided.
  const Settings& prepared() const { return *prepared_; }
  // Frames of these kinds come next. Throws Error.
  void SetFormats(const GstVideoInfo& input, const GstVideoInfo& output);
  // Draws what is wanted of `in` into `out`, which has the format of it. Throws Error.
  void Draw(GstVideoFrame& in, Output output, GstVideoFrame& out);
  // Where a frame does not fit to what was asked for last, as a seed beyond its border: the last
  // settings that were tried are in force again. False where there are none. Throws Error.
  bool TakeBack();
  // The next frame does not follow the last one, and nothing is carried to it.
  void BeginScene();

 private:
  void BeginAnew(const Settings& settings);
  void BeginStream(const Detector& detector, bool aside);
  void SetThreshold(const Settings& settings);
  // `frame` is FrameOf(mapped). What the library knows is converted as it does; the rest by
  // GStreamer.
  cv::Mat BgrOf(GstVideoFrame& mapped, const VideoFrame& frame);

  std::optional<Settings> prepared_;      // those in force
  std::optional<Search> refused_search_;  // of them, that cannot be had
  std::optional<Settings> before_;        // the last before them that were tried
  int untried_frames_ = 0;  // until those in force were: errors of a search aside come late
  std::optional<Stream> stream_;
  double rate_ = 0;  // of the frames; 0: not known
  // Of the input, and to the output; null where none is needed.
  ConverterPtr to_bgr_, from_bgr_;
  // What pictures are drawn by, and in: their memory, from frame to frame.
  cv::Mat mask_, drawn_;
};

}  // namespace skinmask::gstreamer
