#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/parse.h"
#include "media/video_packets.h"
#include "skinmask/base/error.h"
#include "skinmask/media/video.h"

namespace skinmask {
namespace {

constexpr double kMicrosecondsPerSecond = 1e6;

// Parses digits with at most one point: no sign, no exponent, no infinity.
std::optional<double> Decimal(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789.") != text.npos) return std::nullopt;
  return ParseNumber<double>(text);
}

// Seconds of [[HH:]MM:]SS[.mmm].
std::optional<double> Seconds(std::string_view text) {
  constexpr double kMax = 1e9;  // about thirty years
  double seconds = 0;
  for (int parts = 0; parts < 3; ++parts) {
    const std::size_t colon = text.find(':');
    const std::optional<double> part = Decimal(text.substr(0, colon));
    const bool whole = part && *part == std::floor(*part);
    if (!part || *part > kMax || (parts > 0 && *part >= 60)) return std::nullopt;
    seconds = 60 * seconds + *part;
    if (colon == text.npos) return seconds;
    if (!whole) return std::nullopt;
    text.remove_prefix(colon + 1);
  }
  return std::nullopt;
}

bool IsBefore(const VideoFrame& frame, const VideoTime& time) {
  const bool frames = time.unit == VideoTime::Unit::kFrames;
  return (frames ? frame.index : MicrosecondsOf(frame.seconds)) < time.value;
}

// Ends the frame at `end`, as the next one would, but not before one frame's time at the rate.
void CutDuration(VideoFrame& frame, const VideoTime& end, const VideoInfo& info) {
  if (end.unit == VideoTime::Unit::kFrames) return;
  const double left = static_cast<double>(end.value) / kMicrosecondsPerSecond - frame.seconds;
  const double least = info.rate.num > 0 ? 1 / info.rate.Value() : 0;
  constexpr double kRounding = 1e-6;  // of the division
  const double units = std::ceil(std::max(left, least) / info.time_base.Value() - kRounding);
  if (units < static_cast<double>(frame.duration)) frame.duration = std::llround(units);
}

}  // namespace

VideoTime VideoTimeFromText(std::string_view text, std::string_view subject) {
  const std::string named = fmt::format("{} '{}'", subject, text);
  if (text.starts_with('-'))
    throw Error(named, "lies before the start of the video (times and frames count from 0)");
  if (text.ends_with('f')) {
    const auto frame = ParseNumber<std::int64_t>(text.substr(0, text.size() - 1));
    if (frame) return {VideoTime::Unit::kFrames, *frame};
  }
  const std::optional<double> seconds = Seconds(text);
  if (!seconds)
    throw Error(named,
                "is no moment of a video (seconds as 12.5, hours, minutes and seconds as "
                "1:02:03.5, or a frame as 120f)");
  return {VideoTime::Unit::kMicroseconds, std::llround(*seconds * kMicrosecondsPerSecond)};
}

std::string TextOf(const VideoTime& time) {
  if (time.unit == VideoTime::Unit::kFrames) return fmt::format("frame {}", time.value);
  return fmt::format("{} s", static_cast<double>(time.value) / kMicrosecondsPerSecond);
}

VideoClip::VideoClip(const std::string& path_or_url, const VideoOpenOptions& options,
                     const VideoRange& range)
    : name_(path_or_url),
      stop_(options.stop),
      range_(range),
      reader_(path_or_url, options),
      info_(reader_.info()) {}

std::optional<VideoFrame> VideoClip::Read() {
  // The frame behind the part is not waited for: a pipe may be slow to give it.
  if (started_ && range_.to && range_.to->unit == VideoTime::Unit::kFrames &&
      last_index_ + 1 >= range_.to->value)
    ended_ = true;
  if (ended_) return std::nullopt;
  std::optional<VideoFrame> frame = started_ ? reader_.Read() : First();
  if (frame) Note(*frame);
  if (frame && !started_) SetExpected(*frame);
  started_ = true;
  if (range_.to) {
    if (!frame && !Stopped()) NoteEnd();
    ended_ = !frame || !IsBefore(*frame, *range_.to);
    if (ended_) return std::nullopt;
    CutDuration(*frame, *range_.to, info_);
  }
  if (frame) RequireSize(*frame);
  return frame;
}

std::optional<VideoFrame> VideoClip::ReadBefore() {
  if (started_ || ended_ || first_ || !range_.from) return std::nullopt;
  std::optional<VideoFrame> frame = reader_.Read();
  if (frame && !IsBefore(*frame, *range_.from)) {
    first_ = std::exchange(frame, std::nullopt);
  } else if (frame) {
    Note(*frame);
    RequireSize(*frame);
  }
  return frame;
}

// Returns the first frame of the range. The first frame of the video is read in any case, because
// times count from it.
std::optional<VideoFrame> VideoClip::First() {
  std::optional<VideoFrame> frame = first_ ? std::exchange(first_, std::nullopt) : reader_.Read();
  const bool is_empty = !frame && last_index_ < 0;
  if (is_empty || !range_.from || (frame && !IsBefore(*frame, *range_.from))) return frame;
  if (frame) reader_.SkipTowards(*range_.from);
  while (frame && IsBefore(*frame, *range_.from)) {
    Note(*frame);
    frame = reader_.Read();
  }
  if (!frame && !Stopped())
    throw Error(name_, fmt::format("ends before {}: its last frame, number {}, is at {:.6g} s",
                                   TextOf(*range_.from), last_index_, last_seconds_));
  return frame;
}

void VideoClip::Note(const VideoFrame& frame) {
  last_index_ = frame.index;
  last_seconds_ = frame.seconds;
  last_duration_ = static_cast<double>(frame.duration) * info_.time_base.Value();
}

void VideoClip::RequireSize(const VideoFrame& frame) {
  if (size_.empty()) size_ = frame.size;
  ended_ = frame.size != size_;
  if (ended_)
    throw Error(name_, fmt::format("stops at frame {}: its size changes from {} x {} to {} x {}",
                                   frame.index, size_.width, size_.height, frame.size.width,
                                   frame.size.height));
}

void VideoClip::SetExpected(const VideoFrame& first) {
  if (range_.whole() || !info_.frames) return;
  std::int64_t end = *info_.frames;
  if (range_.to) end = std::min(end, range_.to->FrameAt(info_.rate));
  info_.frames = std::max<std::int64_t>(1, end - first.index);
}

void VideoClip::NoteEnd() {
  if (range_.to->unit == VideoTime::Unit::kFrames) {
    if (range_.to->value > last_index_ + 1)
      shortfall_ =
          fmt::format("ends after {} frames, before {}", last_index_ + 1, TextOf(*range_.to));
    return;
  }
  constexpr std::int64_t kRounding = 1000;  // in microseconds; Matroska stores milliseconds
  const double at_rate = info_.rate.num > 0 ? 1 / info_.rate.Value() : 0;
  const double end = last_seconds_ + std::max(last_duration_, at_rate);
  if (range_.to->value > MicrosecondsOf(end) + kRounding)
    shortfall_ = fmt::format("ends at {:.6g} s, before {}", end, TextOf(*range_.to));
}

bool OpensAsVideo(const std::filesystem::path& path, const std::optional<Isolation>& isolation) {
  try {
    VideoReader reader(path.string(), {.threads = 1, .addresses = false, .isolation = isolation});
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace skinmask
