// An evaluation as JSON; docs/formats.md has the keys.
#pragma once

#include "base/json.h"
#include "skinmask/pipeline/evaluate.h"

namespace skinmask {

// {"pooled": {...}, "mean_per_image": {...}, "images": [...]}, and what else the report has.
Json ReportJson(const EvaluationReport& report);

}  // namespace skinmask
