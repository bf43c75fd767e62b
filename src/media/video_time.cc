#include "skinmask/media/video_time.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "base/parse.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

constexpr double kMicrosecondsPerSecond = 1e6;

// Digits and at most one point: no sign, no exponent, no infinity.
std::optional<double> Decimal(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789.") != text.npos) return std::nullopt;
  return ParseNumber<double>(text);
}

// Seconds of [[HH:]MM:]SS[.mmm].
std::optional<double> Seconds(std::string_view text) {
  constexpr double kMax = 1e9;  // thirty years
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

}  // namespace

VideoTime VideoTimeFromText(std::string_view text) {
  const std::string subject = fmt::format("time '{}'", text);
  if (text.starts_with('-'))
    throw Error(subject, "lies before the start of the video (times and frames count from 0)");
  if (text.ends_with('f')) {
    const auto frame = ParseNumber<std::int64_t>(text.substr(0, text.size() - 1));
    if (frame) return {VideoTime::Unit::kFrames, *frame};
  }
  const std::optional<double> seconds = Seconds(text);
  if (!seconds)
    throw Error(subject,
                "is no moment of a video (seconds as 12.5, hours, minutes and seconds as "
                "1:02:03.5, or a frame as 120f)");
  return {VideoTime::Unit::kMicroseconds, std::llround(*seconds * kMicrosecondsPerSecond)};
}

std::string TextOf(const VideoTime& time) {
  if (time.unit == VideoTime::Unit::kFrames) return fmt::format("frame {}", time.value);
  return fmt::format("{} s", static_cast<double>(time.value) / kMicrosecondsPerSecond);
}

}  // namespace skinmask
