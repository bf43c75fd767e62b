// What `evaluate` and `compare` print.
#pragma once

#include <optional>
#include <string>

#include "skinmask/learn/compare.h"
#include "skinmask/pipeline/evaluate.h"

namespace skinmask::cli {

// The table; `by_faces`: with how many images had faces.
void PrintEvaluation(const EvaluationReport& report, bool by_faces);

// The day of SOURCE_DATE_EPOCH (reproducible-builds.org), "2026-11-22"; none where it is not set.
// The clock would make every page another. Throws Error where it is no number of seconds.
std::optional<std::string> SourceDate();

void PrintComparison(const Comparison& comparison);

}  // namespace skinmask::cli
