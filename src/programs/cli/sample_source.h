// Where labelled pixels come from: tables, or images with masks.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "skinmask/data/samples.h"
#include "skinmask/pipeline/collect_samples.h"

namespace skinmask::cli {

// Checks that exactly one of the sources is given, --samples, or --images with its masks, and that
// no option would go unused. Throws UsageError.
void CheckSource(const std::vector<std::string>& tables, const PairOptions& pairs,
                 const std::string& masks_option, bool pair_options_used_elsewhere = false);
// Throws UsageError where an output is one of the archives of the pairs.
void RequireNoArchive(const std::string& output, const std::string& flag, const PairOptions& pairs);
// The files and folders of the source.
std::vector<std::filesystem::path> PathsOf(const std::vector<std::string>& tables,
                                           const PairOptions& pairs);
// Reads tables and adds them up.
Samples ReadTables(const std::vector<std::string>& tables);
// Of the tables, or where there are none of the pairs.
Samples ReadSource(const std::vector<std::string>& tables, const PairOptions& pairs,
                   const Run& run);

}  // namespace skinmask::cli
