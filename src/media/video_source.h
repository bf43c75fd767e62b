// What a VideoReader reads from: FFmpeg in this process, or in another one.
#pragma once

#include <array>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string>

#include "skinmask/media/video.h"

namespace [[gnu::visibility("default")]] skinmask {

// As VideoReader, which says what these do.
class VideoSource {
 public:
  virtual ~VideoSource() = default;
  virtual const VideoInfo& info() const = 0;
  virtual std::optional<VideoFrame> Read() = 0;
  virtual void SkipTowards(const VideoTime& moment) = 0;
};

// FFmpeg in a process of its own, which crashes and hangs alone: Error says so. Frames are of the
// same bytes; kOther comes as kBgr.
std::unique_ptr<VideoSource> OpenIsolatedVideo(const std::string& path,
                                               const VideoOpenOptions& options);

// Loads FFmpeg's libraries. Throws Error where they are not there.
void LoadFfmpeg();

// Layouts that come from another process.
bool IsSent(VideoFrame::Layout layout);

// Memory for a frame of such a layout and of this size: its planes, one after the other. They are
// OpenCV's headers of bytes, each row of which starts at a multiple of 64.
struct FrameMemory {
  FrameMemory(VideoFrame::Layout layout, cv::Size size);
  // The planes at that memory; empty ones where the layout has fewer.
  std::array<cv::Mat, 3> At(std::uint8_t* memory) const;
  std::size_t bytes = 0;

 private:
  struct Plane {
    int rows = 0, columns = 0;
    std::size_t stride = 0;
  };
  std::array<Plane, 3> planes_;
};

}  // namespace skinmask
