// Writes a comparison of models as JSON, and as one HTML page that shows this JSON. docs/math.md
// has the definitions, docs/formats.md the keys.
#pragma once

#include <string>

#include "skinmask/learn/compare.h"

namespace [[gnu::visibility("default")]] skinmask {

// "101 groups in 5 folds, seed 0".
std::string DivisionOf(const Comparison& comparison);

std::string ComparisonToJson(const Comparison& comparison);

// One self-contained page that contains `json` (of ComparisonToJson) and shows it.
std::string ComparisonToHtml(const std::string& json);

}  // namespace skinmask
