// The regions and borders of a model are a part of the JSON of a report; docs/formats.md has the
// keys.
#pragma once

#include "base/json.h"
#include "skinmask/pipeline/evaluate.h"

namespace skinmask {

// With some of the pixels that the report drew.
Json BoundaryJson(const EvaluationReport& report, const Model& model);

}  // namespace skinmask
