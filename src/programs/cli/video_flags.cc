#include "programs/cli/video_flags.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/parse.h"
#include "programs/cli/option_checks.h"
#include "programs/cli/usage_error.h"

namespace skinmask::cli {
namespace {

std::optional<VideoTime> TimeOf(const std::string& flag, const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  try {
    return VideoTimeFromText(*text);
  } catch (const Error& e) {
    throw UsageError(flag + ": " + e.what());
  }
}

// Of "10-20": how these frames are had; empty for what is no range of numbers.
std::string FrameNumbersHint(const std::string& text) {
  const std::size_t first = text.find_first_of("-:");
  if (first == text.npos) return "";
  const auto from = ParseNumber<std::uint32_t>(std::string_view(text).substr(0, first));
  const auto to = ParseNumber<std::uint32_t>(std::string_view(text).substr(first + 1));
  if (!from || !to) return "";
  return fmt::format("{} (--from {}f --to {}f has the frames {} to {})", text, *from,
                     *to + std::uint64_t{1}, *from, *to);
}

std::vector<std::string_view> WatchedNames() {
  std::vector<std::string_view> names;
  for (const OutputKind& kind : OutputKinds())
    if (kind.is_watched) names.push_back(kind.name);
  return names;
}

}  // namespace

void AddVideoFlags(CLI::App& verb, VideoFlags& flags) {
  const OptionGroup group(verb, "Video");
  group.Add("--from", flags.from, "T",
            "Begin with the first frame at T or after: seconds (12.5), hours, minutes and seconds "
            "(1:02:03.5), or the number of a frame, from 0 (120f)");
  group.Add("--to", flags.to, "T", "End before the first frame at T or after; T likewise");
  group
      .Add("--audio", flags.audio, "copy|none",
           "What overlays and cut-outs hear: the input's sound as it is stored, where their "
           "container takes it (default), or nothing")
      ->check(OneOf({"copy", "none"}));
}

void SetVideoOptions(const VideoFlags& flags, DetectOptions& detect) {
  if (flags.audio && (detect.video.png_frames || !Any(detect.outputs, &OutputKind::is_watched)))
    throw UsageError(fmt::format("--audio is for videos of --output {}, and none is made",
                                 fmt::join(WatchedNames(), " or ")));
  detect.video.sound = flags.audio != "none";
  VideoRange& range = detect.video.range;
  range = {TimeOf("--from", flags.from), TimeOf("--to", flags.to)};
  if (range.to && range.to->value == 0) throw UsageError("--to " + *flags.to + " leaves no frame");
  if (range.empty())
    throw UsageError(
        fmt::format("--from {} and --to {} leave no frame between them", *flags.from, *flags.to));
}

CLI::Validator NoFrameNumbers() {
  return CLI::Validator(
      [](std::string& text) {
        const std::string hint = FrameNumbersHint(text);
        return hint.empty() ? hint : "takes no value, such as " + hint;
      },
      "");
}

void RefuseFrameNumbers(const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code ignored;
    const std::string hint = FrameNumbersHint(input);
    if (!hint.empty() && !std::filesystem::exists(input, ignored))
      throw UsageError("--frames takes no value, and there is no input " + hint);
  }
}

}  // namespace skinmask::cli
