// Counts in JSON, and back from what anybody may have written.
#pragma once

#include <cstdint>

#include "base/json_node.h"
#include "learn/class_counts_json.h"
#include "skinmask/learn/evaluation.h"

namespace skinmask {

// {"tp": ..., "fp": ..., "fn": ..., "tn": ...}
Json JsonOf(const Confusion& counts);
// None above `most`, which is at most 2^60, so that their sums cannot wrap.
Confusion ReadConfusion(const JsonNode& node, std::uint64_t most);
// What JsonOf(ClassCounts) writes; at most `pixels` in all.
ClassCounts ReadClassCounts(const JsonNode& node, std::uint64_t pixels);

}  // namespace skinmask
