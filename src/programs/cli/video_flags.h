// Flags of what is done with videos.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "programs/cli/verb.h"
#include "skinmask/pipeline/detect_run.h"

namespace skinmask::cli {

struct VideoFlags {
  std::optional<std::string> from, to, audio;
};

void AddVideoFlags(CLI::App& verb, VideoFlags& flags);
// After the outputs are set. Throws UsageError.
void SetVideoOptions(const VideoFlags& flags, DetectOptions& detect);
// --frames takes no value: a range of numbers, as a value and (a UsageError) as an input that does
// not exist, gets a line that says what does.
CLI::Validator NoFrameNumbers();
void RefuseFrameNumbers(const std::vector<std::string>& inputs);

}  // namespace skinmask::cli
