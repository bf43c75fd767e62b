#include "programs/cli/raw_video_flags.h"

#include <fmt/format.h>

#include "base/parse.h"
#include "programs/cli/option_checks.h"
#include "programs/cli/rectangle.h"
#include "programs/cli/usage_error.h"

namespace skinmask::cli {

void AddRawVideoFlags(const OptionGroup& group, RawVideoFlags& flags) {
  group
      .Add("--input-format", flags.input_format, "rawvideo",
           "The input is frames without a container, of --size, --pixel-format and --rate")
      ->check(OneOf({"rawvideo"}));
  group.Add("--pixel-format", flags.pixel_format, "NAME",
            "Of raw video, as FFmpeg calls it: bgr24, yuv420p, nv12, ...");
}

std::optional<RawVideo> RawVideoOf(const RawVideoFlags& flags, const std::string& size_text,
                                   const std::string& rate_text) {
  if (flags.input_format.empty()) {
    if (!flags.pixel_format.empty())
      throw UsageError("--pixel-format is for --input-format rawvideo");
    return std::nullopt;
  }
  const std::optional<cv::Size> size = ParseSize(size_text);
  if (!size || flags.pixel_format.empty())
    throw UsageError("--input-format rawvideo needs --size WxH and --pixel-format NAME");
  const auto rate = ParseNumbers<int>(rate_text.empty() ? "25" : rate_text, '/');
  if (!rate || rate->empty() || rate->size() > 2 || rate->front() < 1 || rate->back() < 1)
    throw UsageError(
        fmt::format("--rate '{}' is no number of frames a second (30, 30000/1001)", rate_text));
  return RawVideo{*size, flags.pixel_format, {rate->front(), rate->size() == 2 ? rate->back() : 1}};
}

}  // namespace skinmask::cli
