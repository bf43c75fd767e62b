#include "skinmask/media/video_clip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "media/video_seek.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

bool IsBefore(const VideoFrame& frame, const VideoTime& time) {
  const bool frames = time.unit == VideoTime::Unit::kFrames;
  return (frames ? frame.index : MicrosecondsOf(frame.seconds)) < time.value;
}

}  // namespace

VideoClip::VideoClip(const std::string& path_or_url, const VideoOpenOptions& options,
                     const VideoRange& range)
    : name_(path_or_url),
      stop_(options.stop),
      range_(range),
      reader_(path_or_url, options),
      info_(reader_.info()) {}

std::optional<VideoFrame> VideoClip::Read() {
  if (ended_) return std::nullopt;
  std::optional<VideoFrame> frame = started_ ? reader_.Read() : First();
  if (frame) {
    last_index_ = frame->index;
    last_seconds_ = frame->seconds;
    if (!started_) SetExpected(*frame);
  }
  started_ = true;
  if (!range_.to) return frame;
  if (!frame && !Stopped()) NoteEnd();
  ended_ = !frame || !IsBefore(*frame, *range_.to);
  if (ended_) return std::nullopt;
  return frame;
}

// Of the range. Times count from the first frame of all, so that one is read in any case.
std::optional<VideoFrame> VideoClip::First() {
  std::optional<VideoFrame> frame = reader_.Read();
  if (!frame || !range_.from || !IsBefore(*frame, *range_.from)) return frame;
  reader_.SkipTowards(*range_.from);
  while (frame && IsBefore(*frame, *range_.from)) {
    last_index_ = frame->index;
    last_seconds_ = frame->seconds;
    frame = reader_.Read();
  }
  if (!frame && !Stopped())
    throw Error(name_, fmt::format("ends before {}: its last frame, number {}, is at {:.6g} s",
                                   TextOf(*range_.from), last_index_, last_seconds_));
  return frame;
}

void VideoClip::SetExpected(const VideoFrame& first) {
  if (range_.whole() || !info_.frames) return;
  std::int64_t end = *info_.frames;
  if (range_.to && range_.to->unit == VideoTime::Unit::kFrames)
    end = std::min(end, range_.to->value);
  else if (range_.to)
    end = std::min<std::int64_t>(
        end, std::llround(static_cast<double>(range_.to->value) * 1e-6 * info_.rate.Value()));
  info_.frames = std::max<std::int64_t>(1, end - first.index);
}

void VideoClip::NoteEnd() {
  if (range_.to->unit == VideoTime::Unit::kFrames) {
    if (range_.to->value > last_index_ + 1)
      shortfall_ =
          fmt::format("ends after {} frames, before {}", last_index_ + 1, TextOf(*range_.to));
    return;
  }
  constexpr std::int64_t kRounding = 1000;  // microseconds: Matroska counts milliseconds
  const double end = last_seconds_ + (info_.rate.num > 0 ? 1 / info_.rate.Value() : 0);
  if (range_.to->value > MicrosecondsOf(end) + kRounding)
    shortfall_ = fmt::format("ends at {:.6g} s, before {}", end, TextOf(*range_.to));
}

bool OpensAsVideo(const std::filesystem::path& path) {
  try {
    VideoReader reader(path.string(), {.threads = 1, .addresses = false});
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace skinmask
