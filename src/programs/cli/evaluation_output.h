// What `evaluate` prints.
#pragma once

#include "skinmask/pipeline/evaluate.h"

namespace skinmask::cli {

// The table; `by_faces`: with how many images had faces.
void PrintEvaluation(const EvaluationReport& report, bool by_faces);

}  // namespace skinmask::cli
