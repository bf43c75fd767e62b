#include "programs/cli/shard_flag.h"

#include <fmt/format.h>

#include "base/parse.h"
#include "programs/cli/usage_error.h"
#include "programs/cli/verb.h"

namespace skinmask::cli {

void AddShardOption(CLI::App& verb, std::string& text) {
  OptionGroup(verb, "Input")
      .AddDefault("--shard", text, "I/N", "Do only every N-th input, beginning with the I-th");
}

Shard ShardOf(const std::string& text) {
  const auto numbers = ParseNumbers<std::size_t>(text, '/');
  if (!numbers || numbers->size() != 2 || (*numbers)[0] < 1 || (*numbers)[0] > (*numbers)[1])
    throw UsageError(fmt::format("--shard '{}' is not I/N with I from 1 to N", text));
  return {(*numbers)[0], (*numbers)[1]};
}

void RequirePartial(const std::string& shard, const std::string& partial) {
  if (ShardOf(shard).count > 1 && partial.empty())
    throw UsageError("--shard needs --partial (scores of a part would pass for the whole)");
}

}  // namespace skinmask::cli
