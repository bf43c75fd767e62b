// The frames of a video between two moments.
#pragma once

#include <optional>
#include <string>

#include "skinmask/media/video.h"
#include "skinmask/media/video_time.h"

namespace [[gnu::visibility("default")]] skinmask {

// A VideoReader of a part of a file. Times and numbers of frames are those in the whole video.
// Where the part begins in mid-file, MP4 and Matroska are decoded from the key frame before, others
// from the start: the frames are the same.
class VideoClip {
 public:
  // Throws Error as VideoReader does.
  VideoClip(const std::string& path_or_url, const VideoOpenOptions& options,
            const VideoRange& range);

  // The next frame of the range; absent at its end, and that of the video. Throws Error as
  // VideoReader::Read does, and where the video ends before the range begins.
  std::optional<VideoFrame> Read();
  // That of the video, but for `frames`, which once the first frame is read are those of the range.
  const VideoInfo& info() const { return info_; }
  // After the last frame, where the video ended before the range did: "ends at 4 s, before 9 s".
  const std::string& shortfall() const { return shortfall_; }

 private:
  std::optional<VideoFrame> First();
  void SetExpected(const VideoFrame& first);
  void NoteEnd();
  bool Stopped() const { return stop_ && stop_->load(); }

  const std::string name_;
  const std::atomic<bool>* const stop_;
  const VideoRange range_;
  VideoReader reader_;
  VideoInfo info_;
  std::string shortfall_;
  bool started_ = false, ended_ = false;
  std::int64_t last_index_ = -1;  // of the last frame that was read, in the range or not
  double last_seconds_ = 0;
};

}  // namespace skinmask
