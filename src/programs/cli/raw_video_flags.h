// The options of detect and live that describe video without a container.
#pragma once

#include <optional>
#include <string>

#include "programs/cli/verb.h"
#include "skinmask/media/video.h"

namespace skinmask::cli {

struct RawVideoFlags {
  std::string input_format, pixel_format;
};

void AddRawVideoFlags(const OptionGroup& group, RawVideoFlags& flags);
// What they say, with the texts of --size and --rate; absent where the input has a container.
// Throws UsageError.
std::optional<RawVideo> RawVideoOf(const RawVideoFlags& flags, const std::string& size,
                                   const std::string& rate);

}  // namespace skinmask::cli
