// Where one scene of a film ends and another one begins.
#pragma once

#include "detect/adapt/face_tracker.h"

namespace skinmask {

// Whether two frames, one after the other, are of two scenes: neither their places nor their
// colours agree. A camera that turns fast keeps the colours, a light that is switched on the
// places. Frames of different sizes are.
bool IsCut(const TrackingFrame& before, const TrackingFrame& now);

}  // namespace skinmask
