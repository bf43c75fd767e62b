// Moments of a video, and what lies between two of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] skinmask {

// A time since the first frame, or the number of a frame.
struct VideoTime {
  enum class Unit { kMicroseconds, kFrames };
  Unit unit = Unit::kMicroseconds;
  std::int64_t value = 0;  // frames count from 0
};

// "12.5" (seconds), "1:02:03.5" or "02:03" (hours, minutes, seconds), "120f" (a frame). Times are
// rounded to microseconds. Throws Error for anything else, and for what lies before the start.
VideoTime VideoTimeFromText(std::string_view text);
std::string TextOf(const VideoTime& time);  // "12.5 s", "frame 120"

// The frames from one moment on and before another: from <= t < to. Times of frames are rounded to
// microseconds before they are compared, so that a time that was printed finds its frame again.
struct VideoRange {
  std::optional<VideoTime> from, to;
  bool whole() const { return !from && !to; }
  // Whether no video has a frame in it.
  bool empty() const {
    if (to && to->value == 0) return true;
    return from && to && from->unit == to->unit && from->value >= to->value;
  }
};

}  // namespace skinmask
