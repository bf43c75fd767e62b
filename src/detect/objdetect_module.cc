// The module skinmask-objdetect.
#include "detect/adapt/opencv_cascade.h"

void skinmask_read_cascade(const std::string& file, skinmask::Cascade& cascade) {
  try {
    const cv::CascadeClassifier read(file);
    if (!read.empty()) cascade = read.cc;
  } catch (const cv::Exception&) {  // no cascade
  }
}
