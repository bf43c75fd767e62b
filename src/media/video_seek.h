// Finds where decoding can begin for a moment in the middle of a video.
#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "media/ffmpeg.h"
#include "skinmask/media/video.h"

namespace skinmask {

// The time of a frame, `seconds` after the first, as it is compared with a VideoTime.
inline std::int64_t MicrosecondsOf(double seconds) { return std::llround(seconds * 1e6); }

// A key frame: its timestamp, its number in the video, and the timestamp to seek to.
struct KeyFrame {
  std::int64_t pts = 0, index = 0, seek_to = 0;
};

// A video file that is to be searched.
struct SearchedVideo {
  std::string address;  // as FFmpeg takes it; a file that can be read a second time
  int stream = 0;
  Rational time_base;
  std::int64_t first_pts = 0;  // of the first frame
  const std::atomic<bool>* stop = nullptr;
};

// The last key frame that is not after `moment` (or, where that is after the end, the last of all).
// It goes through the packets from the start, which takes as long as reading the file up to there,
// and decodes nothing. Absent where nothing is gained (it is the first frame), and where packets do
// not tell the number of a frame: in containers other than MP4 and Matroska, a frame may have
// several, or none that says when it is shown.
std::optional<KeyFrame> KeyFrameBefore(const SearchedVideo& video, const VideoTime& moment);

}  // namespace skinmask
