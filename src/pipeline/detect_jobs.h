// The parts of a run of detection, which all go by RunStages: images, archives, videos.
#pragma once

#include <functional>

#include "pipeline/plan.h"
#include "skinmask/detect/detector.h"
#include "skinmask/pipeline/detect_run.h"

namespace skinmask {

struct DetectJob {
  const Plan& plan;
  const DetectOptions& options;
  const Detector& detector;  // of such a run
  const Run& run;
  const std::function<void(const DetectedImage&)>& done;
  bool Stopped() const { return run.stop && run.stop->load(); }
};

// The archives of the plan, one after the other. Each becomes one of outputs, all of it or nothing.
// `done` is called for the images of an archive when that is in its place, and at once where it
// goes to a pipe. An image that cannot be done is a problem, and the others are done.
void DetectArchives(const DetectJob& job);

// The videos of the plan, one after the other. Decoding, the posterior and encoding overlap, frames
// stay in order.
void DetectVideos(const DetectJob& job);

}  // namespace skinmask
