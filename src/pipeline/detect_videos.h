// Detection in videos: decoding, the posterior and encoding overlap, frames in order.
#pragma once

#include "pipeline/plan.h"

namespace skinmask {

// One video after the other.
void DetectVideos(const Plan& plan, const DetectOptions& options, const Model& model,
                  const Run& run, const std::function<void(const DetectedImage&)>& done);

}  // namespace skinmask
