// Which part of the inputs a run does, for all verbs that can be divided.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "skinmask/pipeline/collect_samples.h"

namespace skinmask::cli {

// --shard, 1/1 by default.
void AddShardOption(CLI::App& verb, std::string& text);
// "2/5". Throws UsageError for what is no shard.
Shard ShardOf(const std::string& text);
// Throws UsageError for a shard without a file of --partial.
void RequirePartial(const std::string& shard, const std::string& partial);

}  // namespace skinmask::cli
