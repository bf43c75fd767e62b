// ClassCounts in JSON.
#pragma once

#include "base/json.h"
#include "skinmask/learn/class_counts.h"

namespace [[gnu::visibility("default")]] skinmask {

// {"classes": [...], "counts": [[...], ...] (true class by called class), "accuracy": ...,
// "recall": [...], "precision": [...]}, in the order of the classes; null where 0/0.
Json JsonOf(const ClassCounts& counts);

}  // namespace skinmask
