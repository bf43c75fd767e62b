// The options that say how images and masks belong together, and how masks are read.
#pragma once

#include <CLI/CLI.hpp>

#include "skinmask/pipeline/collect_samples.h"

namespace skinmask::cli {

// --image-name, --mask-name, --label, --ignore, --invert, --whole.
void AddPairOptions(CLI::App& verb, PairOptions& pairs);
// Throws UsageError for patterns and labels that cannot be meant.
void CheckPairOptions(const PairOptions& pairs);

}  // namespace skinmask::cli
