// The source of a VideoReader: FFmpeg in this process, or in another one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string>

#include "skinmask/media/video.h"

namespace [[gnu::visibility("default")]] skinmask {

// The functions are described at VideoReader.
class VideoSource {
 public:
  virtual ~VideoSource() = default;
  const VideoInfo& info() const { return info_; }
  virtual std::optional<VideoFrame> Read() = 0;
  virtual void SkipTowards(const VideoTime& moment) = 0;

 protected:
  VideoInfo info_;
};

// FFmpeg in a separate process. Its crashes and hangs become an Error. Frames have the same bytes;
// kOther is delivered as kBgr.
std::unique_ptr<VideoSource> OpenIsolatedVideo(const std::string& path,
                                               const VideoOpenOptions& options);

// Loads FFmpeg's libraries. Throws Error if they are missing.
void LoadFfmpeg();

// The memory of a frame that a decoder process sends (of any layout but kOther): its planes one
// after the other, each row aligned to 64 bytes.
std::size_t FrameBytes(VideoFrame::Layout layout, const cv::Size& size);
// Its planes in `memory`, as matrices of bytes; unused planes are empty.
std::array<cv::Mat, 3> FramePlanes(VideoFrame::Layout layout, const cv::Size& size,
                                   std::uint8_t* memory);

}  // namespace skinmask
