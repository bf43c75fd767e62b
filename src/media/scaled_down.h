// Smaller pictures.
#pragma once

#include <opencv2/core.hpp>

namespace skinmask {

// A length divided by 1, 2, 4 or 8, rounded up, as libjpeg does.
inline int Scaled(int length, int scale) { return (length + scale - 1) / scale; }

// The picture at 1/scale of its width and height: averages over areas. Itself where scale is 1.
cv::Mat ScaledDown(const cv::Mat& picture, int scale);

}  // namespace skinmask
