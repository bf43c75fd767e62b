// The parts of the JSON of a report; docs/formats.md has the keys.
#pragma once

#include "base/json.h"
#include "skinmask/pipeline/evaluate.h"

namespace skinmask {

// Regions and borders of the model, with some of the pixels that the report drew.
Json BoundaryJson(const EvaluationReport& report, const Model& model);
// The scores of its groups: an object for each grouping.
Json GroupsJson(const EvaluationReport& report);

}  // namespace skinmask
