#include "skinmask/detect/detect.h"

#include "skinmask/detect/detector.h"
#include "skinmask/model/model.h"

namespace skinmask {

cv::Mat Detect(const cv::Mat& bgr) {
  static const Detector detector(DefaultModel());
  cv::Mat mask;
  detector.Mask(bgr, mask);
  return mask;
}

}  // namespace skinmask
