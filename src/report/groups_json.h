// Scores of groups as JSON; docs/formats.md has the keys.
#pragma once

#include "base/json.h"
#include "skinmask/pipeline/evaluate.h"

namespace skinmask {

// An object for each grouping of the report.
Json GroupsJson(const EvaluationReport& report);

}  // namespace skinmask
