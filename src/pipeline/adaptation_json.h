// What was done to an image as JSON; docs/formats.md has the keys.
#pragma once

#include "base/json.h"
#include "skinmask/detect/adapt.h"

namespace [[gnu::visibility("default")]] skinmask {

// {"by": "seeds", "faces": 2}, {"by": "image", "shift": -1.3} or {"by": "nothing"}.
Json JsonOf(const AdaptationSummary& summary);

}  // namespace skinmask
