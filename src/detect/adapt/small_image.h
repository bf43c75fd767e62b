// The small image that models are fitted to, and the way back to the large one.
#pragma once

#include <opencv2/core.hpp>

#include "skinmask/base/scratch.h"

namespace skinmask {

// Averaged over squares of a whole number of pixels a side, so that at most about `pixels` are
// left; an image of fewer stays as it is.
cv::Mat SmallImage(const cv::Mat& bgr, int pixels);

// CV_32FC1 enlarged linearly into the buffer, where it lives until the buffer's next use.
cv::Mat Enlarged(const cv::Mat& small, const cv::Size& size, Scratch& buffer);

}  // namespace skinmask
