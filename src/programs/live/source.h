// Live frames come from cameras, GStreamer pipelines, streams and files, and are captured on a
// thread.
#pragma once

#include <atomic>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/elapsed.h"
#include "skinmask/media/inputs.h"
#include "skinmask/media/video.h"

namespace skinmask::live {

// A frame, and when it was captured (or came from the network).
struct LiveFrame {
  VideoFrame picture;
  Clock::time_point captured;
  Rational pixel_aspect{1, 1};  // upright: width of a pixel to its height
};

struct SourceOptions {
  // Asked of a camera; 0 and empty leave it what it has.
  cv::Size size;
  double rate = 0;
  std::optional<RawVideo> raw;   // what a file or pipe holds
  std::string format;            // a V4L2 code of four characters: "MJPG", "YUYV"
  double timeout_seconds = 2.5;  // to open, and from frame to frame
  const std::atomic<bool>* stop = nullptr;
  LineSink notice = [](const std::string&) {};  // what was asked for and not given
};

enum class SourceKind { kCamera, kPipeline, kStream, kFile, kPipe };

// What is a file is one, and what IsDescriptor knows a pipe; else what holds '!' is a GStreamer
// pipeline, what holds '://' a stream, and a number or a device a camera.
SourceKind SourceKindOf(const std::string& source);

// Frames in order, for one thread.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  // The next frame; absent at the end, or after a stop. Throws Error when none comes in time, or
  // the source is lost.
  virtual std::optional<LiveFrame> Read() = 0;
  virtual Rational rate() const = 0;  // frames a second; 0/1 where unknown
};

// Throws Error that says why the source cannot be opened; for a camera it lists those that there
// are.
std::unique_ptr<FrameSource> OpenSource(const std::string& source, const SourceOptions& options);

// Parts of OpenSource.
std::unique_ptr<FrameSource> OpenCamera(const std::string& device, const SourceOptions& options);
std::unique_ptr<FrameSource> OpenPipeline(const std::string& description,
                                          const SourceOptions& options);
// A picture of BGR pixels, and one that a JPEG from a camera holds; what is missing in a damaged
// one is made up by the decoder.
VideoFrame WrapBgr(const cv::Mat& bgr);
VideoFrame DecodeJpegFrame(std::string_view jpeg, std::string_view subject);

struct CameraFormat {
  std::string code;  // "MJPG"
  int width = 0, height = 0;
  double rate = 0;  // the highest, frames a second; 0 where the driver does not say
};

struct CameraInfo {
  std::string path, name;
  std::vector<CameraFormat> formats;
};

// The cameras that may be opened, and what they offer. May take a while: drivers are asked.
std::vector<CameraInfo> Cameras();

struct CaptureOptions {
  SourceOptions source;
  bool every_frame = false;    // wait for frames to be taken, drop none
  bool at_own_rate = false;    // hold frames of a file back until their time
  double start_seconds = 2.8;  // the first frame must come within
  // How long a source that is lost in mid-run is waited for; 0: its loss is its end.
  double wait_seconds = 60;
};

// Reads a source on a thread of its own. The newest frame wins: one that comes before the last was
// taken replaces it, so that what is shown is never older than the work on one frame makes it.
class Capture {
 public:
  // Begins to open the source.
  Capture(const std::string& source, const CaptureOptions& options);
  // Stops. A driver that does not come back within a second is left behind; the program should end
  // by _Exit.
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  // A source that can wait does: a file at its own rate, or one whose every frame is wanted. Of
  // others frames go by.
  void SetPaused(bool paused);
  // The newest frame, waiting for at most so long. Throws Error when the source could not be
  // opened, no frame came in time, or it was lost and did not come back.
  std::optional<LiveFrame> Take(double seconds);
  // No frame will come any more, and nothing is wrong with that.
  bool ended() const;
  // True while frames come; false while the source is waited for.
  bool running() const;

  std::uint64_t captured() const;
  std::uint64_t dropped() const;  // replaced before they were taken
  Rational rate() const;          // as the source tells
  // Lines for the user since the last call.
  std::vector<std::string> TakeNotices();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace skinmask::live
