#include "programs/cli/sample_source.h"

#include <fmt/format.h>

#include "media/archive.h"
#include "programs/cli/option_checks.h"
#include "programs/cli/usage_error.h"

namespace skinmask::cli {

void CheckSource(const std::vector<std::string>& tables, const PairOptions& pairs,
                 const std::string& masks_option, bool pair_options_used_elsewhere) {
  const bool images = !pairs.images.empty();
  if (tables.empty() == !images)
    throw UsageError(
        fmt::format("give either --samples, or --images with {} or --whole", masks_option));
  const bool masks = !pairs.masks.empty() || !pairs.whole_class.empty();
  const bool both = !pairs.masks.empty() && !pairs.whole_class.empty();
  if (images && (both || (!masks && !HoldsArchives(pairs.images))))
    throw UsageError(fmt::format("--images needs either {} or --whole", masks_option));
  if (!images && !pairs.masks.empty())
    throw UsageError(fmt::format("{} needs --images", masks_option));
  const PairOptions none;
  const bool reading = pairs.image_name != none.image_name || pairs.mask_name != none.mask_name ||
                       !pairs.labels.empty() || !pairs.ignored.empty() || pairs.invert;
  if (!images && (!pairs.whole_class.empty() || (reading && !pair_options_used_elsewhere)))
    throw UsageError("options that say how masks are read need --images");
}

void RequireNoArchive(const std::string& output, const std::string& flag,
                      const PairOptions& pairs) {
  RequireApart(output, flag, pairs.images, "--images");
  RequireApart(output, flag, pairs.masks, "the archive of masks");
}

std::vector<std::filesystem::path> PathsOf(const std::vector<std::string>& tables,
                                           const PairOptions& pairs) {
  std::vector<std::filesystem::path> paths(tables.begin(), tables.end());
  paths.push_back(pairs.images);
  paths.push_back(pairs.masks);
  return paths;
}

Samples ReadTables(const std::vector<std::string>& tables) {
  SampleCounter all;
  for (const std::string& file : tables) all.Add(ReadSamples(file));
  return std::move(all).Finish();
}

Samples ReadSource(const std::vector<std::string>& tables, const PairOptions& pairs,
                   const Run& run) {
  return tables.empty() ? CollectSamples(pairs, run) : ReadTables(tables);
}

}  // namespace skinmask::cli
