// What `compare` prints and what it writes as JSON (docs/formats.md).
#pragma once

#include <cstdint>
#include <string>

#include "skinmask/learn/compare.h"

namespace skinmask::cli {

// How the folds were made and what the models are sorted by, as on the command line.
struct ComparisonSettings {
  std::uint64_t seed = 0;
  std::string select;
};

// "101 groups in 5 folds, seed 0"
std::string Division(const Folds& folds, const ComparisonSettings& settings);
void PrintComparison(const Comparison& comparison, const ComparisonSettings& settings);
std::string ComparisonToJson(const Comparison& comparison, const ComparisonSettings& settings);

}  // namespace skinmask::cli
