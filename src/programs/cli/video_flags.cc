#include "programs/cli/video_flags.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/parse.h"

namespace skinmask::cli {

namespace {

std::optional<VideoTime> TimeOf(const std::string& flag, const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  return AsUsage([&] { return VideoTimeFromText(*text); }, flag + ": ");
}

std::string WatchedNames() {
  return fmt::format("{}", fmt::join(OutputNames(&OutputKind::is_watched), " or "));
}

}  // namespace

void AddVideoFlags(CLI::App& verb, VideoFlags& flags) {
  const OptionGroup group(verb, "Video");
  group.Add("--from", flags.from, "T",
            "Begin with the first frame at T or after: seconds (12.5), hours, minutes and seconds "
            "(1:02:03.5), or the number of a frame, from 0 (120f)");
  group.AddFlag("--seek", flags.seek,
                "Begin at --from as if the video began there, without the frames before it: "
                "quicker, but adapted masks differ from those of the whole video");
  group.Add("--to", flags.to, "T", "End before the first frame at T or after; T likewise");
  group
      .AddChoice("--audio", flags.audio, {"copy", "none"},
                 "Sound of videos of --output " + WatchedNames() +
                     ": the input's as it is stored, where their container takes it, or none")
      ->default_str("copy");
}

void SetVideoOptions(const VideoFlags& flags, DetectOptions& detect) {
  if (!flags.audio.empty() &&
      (detect.video.png_frames || !Any(detect.outputs, &OutputKind::is_watched)))
    throw UsageError("--audio is for videos of --output {}, and none is made", WatchedNames());
  detect.video.sound = flags.audio != "none";
  VideoRange& range = detect.video.range;
  range = {TimeOf("--from", flags.from), TimeOf("--to", flags.to)};
  if (flags.seek && !range.from) throw UsageError("--seek is for --from");
  detect.video.seek = flags.seek;
  if (range.to && range.to->value == 0) throw UsageError("--to " + *flags.to + " leaves no frame");
  if (range.empty())
    throw UsageError("--from {} and --to {} leave no frame between them", *flags.from, *flags.to);
}

void AddRawVideoFlags(const OptionGroup& group, RawVideoFlags& flags) {
  group.AddChoice("--input-format", flags.input_format, {"rawvideo"},
                  "The input is frames without a container, of --size, --pixel-format and --rate");
  group.Add("--pixel-format", flags.pixel_format, "NAME",
            "Of raw video, as FFmpeg calls it: bgr24, yuv420p, nv12, ...");
}

std::optional<RawVideo> RawVideoOf(const RawVideoFlags& flags) {
  if (flags.input_format.empty()) {
    if (!flags.pixel_format.empty())
      throw UsageError("--pixel-format is for --input-format rawvideo");
    return std::nullopt;
  }
  const cv::Size size = SizeOf(flags.size);
  if (size.empty() || flags.pixel_format.empty())
    throw UsageError("--input-format rawvideo needs --size WxH and --pixel-format NAME");
  const auto rate = ParseNumbers<int>(flags.rate.empty() ? "25" : flags.rate, '/');
  if (!rate || rate->empty() || rate->size() > 2 || rate->front() < 1 || rate->back() < 1)
    throw UsageError("--rate '{}' is no number of frames a second (30, 30000/1001)", flags.rate);
  AsUsage([&] { RequirePixelFormat(flags.pixel_format); });
  return RawVideo{size, flags.pixel_format, {rate->front(), rate->size() == 2 ? rate->back() : 1}};
}

cv::Size SizeOf(const std::string& text) {
  constexpr int kMaxSide = 1 << 24;
  if (text.empty()) return {};
  const auto n = ParseNumbers<int>(text, 'x');
  const auto is_good = [](int side) { return side > 0 && side <= kMaxSide; };
  if (!n || n->size() != 2 || !std::ranges::all_of(*n, is_good))
    throw UsageError("--size '{}' is not WIDTHxHEIGHT in pixels", text);
  return {(*n)[0], (*n)[1]};
}

}  // namespace skinmask::cli
