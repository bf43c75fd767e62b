// The source of a VideoReader: FFmpeg in this process, or in another one.
#pragma once

#include <array>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string>

#include "media/picture_type.h"
#include "skinmask/media/video.h"

namespace [[gnu::visibility("default")]] skinmask {

// The functions are described at VideoReader.
class VideoSource {
 public:
  virtual ~VideoSource() = default;
  virtual const VideoInfo& info() const = 0;
  virtual std::optional<VideoFrame> Read() = 0;
  virtual void SkipTowards(const VideoTime& moment) = 0;
};

// FFmpeg in a separate process. Its crashes and hangs become an Error. Frames have the same bytes;
// kOther is delivered as kBgr.
std::unique_ptr<VideoSource> OpenIsolatedVideo(const std::string& path,
                                               const VideoOpenOptions& options);

// Loads FFmpeg's libraries. Throws Error if they are missing.
void LoadFfmpeg();

// True for layouts that a decoder process sends.
bool IsSent(VideoFrame::Layout layout);

// The memory layout of a frame of such a layout and size: its planes one after the other, each row
// aligned to 64 bytes.
struct FrameMemory {
  FrameMemory(VideoFrame::Layout layout, cv::Size size);
  // The planes, as matrices of bytes in `memory`; unused planes are empty.
  std::array<cv::Mat, 3> At(std::uint8_t* memory) const;
  std::size_t bytes = 0;

 private:
  std::array<PlaneShape, 3> planes_;
};

}  // namespace skinmask
