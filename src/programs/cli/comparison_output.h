// What `compare` prints.
#pragma once

#include "skinmask/learn/compare.h"

namespace skinmask::cli {

void PrintComparison(const Comparison& comparison);

}  // namespace skinmask::cli
