// What the handles of C are.
#pragma once

#include <skinmask.h>

#include <opencv2/core.hpp>

#include "skinmask/detect/detector.h"
#include "skinmask/detect/measure.h"
#include "skinmask/model/model.h"

struct skinmask_model {
  skinmask::Model model;
};

struct skinmask_detector {
  skinmask::Detector detector;
};

struct skinmask_measurement {
  skinmask::Measurement measurement;
};

struct skinmask_image {
  cv::Mat bgr;  // CV_8UC3
};
