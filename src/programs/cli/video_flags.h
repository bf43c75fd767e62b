// Flags of what is done with videos.
#pragma once

#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "programs/cli/verb.h"
#include "skinmask/media/video.h"
#include "skinmask/pipeline/detect_run.h"

namespace skinmask::cli {

struct VideoFlags {
  std::optional<std::string> from, to;
  std::string audio;
};

void AddVideoFlags(CLI::App& verb, VideoFlags& flags);
// After the outputs are set. Throws UsageError.
void SetVideoOptions(const VideoFlags& flags, DetectOptions& detect);
// --frames takes no value: a range of numbers, as a value and (a UsageError) as an input that does
// not exist, gets a line that says what does.
CLI::Validator NoFrameNumbers();
void RefuseFrameNumbers(const std::vector<std::string>& inputs);

struct RawVideoFlags {
  std::string input_format, pixel_format;
};

void AddRawVideoFlags(const OptionGroup& group, RawVideoFlags& flags);
// What they say, with the texts of --size and --rate; absent where the input has a container.
// Throws UsageError.
std::optional<RawVideo> RawVideoOf(const RawVideoFlags& flags, const std::string& size,
                                   const std::string& rate);

// "WIDTHxHEIGHT"; absent where the text is anything else, or holds no pixel.
std::optional<cv::Size> ParseSize(std::string_view text);

}  // namespace skinmask::cli
