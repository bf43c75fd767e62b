// The regions and borders of a model, as a part of a report's JSON; docs/formats.md has the keys.
#pragma once

#include "base/json.h"
#include "skinmask/pipeline/evaluate.h"

namespace skinmask {

// Includes some of the pixels that the report drew.
Json BoundaryJson(const EvaluationReport& report, const Model& model);

}  // namespace skinmask
