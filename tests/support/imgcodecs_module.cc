#include "support/imgcodecs.h"

extern "C" const skinmask::testing::Imgcodecs* skinmask_imgcodecs() {
  static constexpr skinmask::testing::Imgcodecs functions = {cv::imread, cv::imdecode, cv::imwrite,
                                                             cv::imencode};
  return &functions;
}
