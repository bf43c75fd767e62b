// Tar archives through `detect`: a shard of images in, one of masks out.
#pragma once

#include <functional>

#include "pipeline/plan.h"
#include "skinmask/model/posterior.h"
#include "skinmask/pipeline/detect_run.h"

namespace skinmask {

// The archives of the plan. Each becomes one of outputs, all of it or nothing. `done` is called for
// the images of an archive when that is in its place, and at once where it goes to a pipe. An image
// that cannot be done is a problem, and the others are done.
void DetectShards(const Plan& plan, const DetectOptions& options, const Model& model,
                  const Run& run, const std::function<void(const DetectedImage&)>& done);

}  // namespace skinmask
