// What the outputs in a folder were made with, so that a run that resumes takes none of other
// options for its own.
#pragma once

#include "skinmask/model/model.h"
#include "skinmask/pipeline/detect_run.h"

namespace skinmask {

// Compares `made_with`, and the model, with what runs before left in the output folder about
// outputs of these kinds. Throws Error, by the name of the first option that differs, where the run
// resumes. A run that `writes` any output leaves its own; without `made_with` it does nothing.
void CompareMadeWith(const DetectOptions& options, const Model& model, bool writes);

}  // namespace skinmask
