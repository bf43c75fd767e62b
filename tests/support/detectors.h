// A photograph, and detectors of it.
#pragma once

#include "skinmask/detect/detector.h"
#include "skinmask/model/model.h"
#include "support/scenes.h"

namespace skinmask::testing {

inline const DetectorOptions kOff{.adapt = DetectorOptions::Adapt::kOff};

inline Detector OnSeed() {
  DetectorOptions options;
  options.seed_rect = cv::Rect(180, 60, 60, 60);
  return Detector(DefaultModel(), options);
}

inline cv::Mat Photo() { return testing::Astronaut().bgr(cv::Rect(0, 0, 480, 320)).clone(); }

}  // namespace skinmask::testing
