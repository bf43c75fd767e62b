// Flags for videos.
#pragma once

#include <opencv2/core.hpp>
#include <optional>
#include <string>

#include "programs/cli/verb.h"
#include "skinmask/media/video.h"
#include "skinmask/pipeline/detect_run.h"

namespace skinmask::cli {

struct VideoFlags {
  std::optional<std::string> from, to;
  std::string audio;
  bool seek = false;
};

void AddVideoFlags(CLI::App& verb, VideoFlags& flags);
// Must be called after the outputs are set. Throws UsageError.
void SetVideoOptions(const VideoFlags& flags, DetectOptions& detect);

struct RawVideoFlags {
  std::string input_format, pixel_format, size, rate;
};

// Adds --input-format and --pixel-format; --size and --rate differ from verb to verb.
void AddRawVideoFlags(const OptionGroup& group, RawVideoFlags& flags);
// The raw video of the flags; absent if the input has a container. Throws UsageError.
std::optional<RawVideo> RawVideoOf(const RawVideoFlags& flags);

// The size in the text of --size; empty for an empty text. Throws UsageError.
cv::Size SizeOf(const std::string& text);

}  // namespace skinmask::cli
