// Sources of live frames: cameras, GStreamer pipelines, streams and files. A thread captures the
// frames.
#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/elapsed.h"
#include "skinmask/media/inputs.h"
#include "skinmask/media/video.h"

namespace skinmask::live {

// A frame, with the time of its capture (or of its arrival from the network).
struct LiveFrame {
  VideoFrame picture;
  Clock::time_point captured;
  Rational pixel_aspect{1, 1};  // upright: width of a pixel to its height
};

struct CameraFormat {
  std::string code{};  // a V4L2 code of four characters: "MJPG", "YUYV"
  cv::Size size{};
  double rate = 0;  // frames per second; 0: unknown
};

struct SourceOptions {
  CameraFormat wanted;           // requested from a camera; 0 and empty keep its setting
  std::optional<RawVideo> raw;   // the format of a raw file or pipe
  double timeout_seconds = 2.5;  // for opening, and for each frame
  const std::atomic<bool>* stop = nullptr;
  LineSink notice = [](const std::string&) {};  // receives requests that the camera did not fulfil
};

enum class SourceKind { kCamera, kPipeline, kStream, kFile, kPipe };

// The kind of a source by its name. Whatever is none of the others is a file.
SourceKind SourceKindOf(const std::string& source);

// Delivers frames in order. For use by one thread.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  // Returns the next frame; absent at the end, or after a stop. Throws Error if none comes in time,
  // or if the source is lost.
  virtual std::optional<LiveFrame> Read() = 0;
  virtual Rational rate() const = 0;  // frames per second; 0/1: unknown
  // True for a source of known length: a file, or a stream that is one.
  virtual bool has_end() const { return false; }
  // True if frames may come before their time.
  virtual bool is_ahead() const { return false; }
};

// Throws Error with the reason if the source cannot be opened; for a camera it lists the available
// cameras.
std::unique_ptr<FrameSource> OpenSource(const std::string& source, const SourceOptions& options);

// Parts of OpenSource.
std::unique_ptr<FrameSource> OpenCamera(const std::string& device, const SourceOptions& options);
std::unique_ptr<FrameSource> OpenPipeline(const std::string& description,
                                          const SourceOptions& options);
// WrapBgr makes a frame of BGR pixels, DecodeJpegFrame of a camera's JPEG. The decoder completes a
// damaged JPEG.
VideoFrame WrapBgr(const cv::Mat& bgr);
VideoFrame DecodeJpegFrame(std::string_view jpeg, std::string_view subject);

struct CameraInfo {
  std::string path, name;
  std::vector<CameraFormat> formats;  // with their highest rates
};

// The cameras that may be opened, with their formats. Can take some time, because drivers are
// queried.
std::vector<CameraInfo> Cameras();

struct CaptureOptions {
  SourceOptions source;
  bool every_frame = false;    // wait until each frame is taken, drop none
  bool at_own_rate = false;    // delay frames until their time; always if a stream has an end
  double start_seconds = 2.8;  // time limit for the first frame
  // How long to wait for a lost source to return; 0: its loss is the end.
  double wait_seconds = 60;
};

// Reads a source on a thread of its own. Keeps only the newest frame: a new frame replaces one that
// was not taken. So a shown frame is never older than the processing time of one frame.
class Capture {
 public:
  // Starts to open the source.
  Capture(const std::string& source, const CaptureOptions& options);
  // Stops the thread. A thread whose driver does not return within a second is abandoned; the
  // program should then end by _Exit.
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  // Pauses a source that can wait: a file at its own rate, or a source whose every frame is taken.
  // Frames of other sources are lost meanwhile.
  void SetPaused(bool paused);
  // Returns the newest frame; waits at most `seconds` for one. Throws Error if the source could not
  // be opened, if no frame came in time, or if the source was lost and did not return.
  std::optional<LiveFrame> Take(double seconds);
  // True if no more frames will come, without a failure.
  bool ended() const;
  // True while frames come; false while waiting for the source.
  bool running() const;

  std::uint64_t captured() const;
  std::uint64_t dropped() const;  // frames that were replaced before they were taken
  Rational rate() const;          // of the source
  // Lines for the user since the last call.
  std::vector<std::string> TakeNotices();

 private:
  struct State;
  std::shared_ptr<State> state_;
  std::future<void> finished_;
};

}  // namespace skinmask::live
