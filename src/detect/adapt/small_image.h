// Models are fitted to a small image: each pixel is the average of a square of the image.
#pragma once

#include <opencv2/core.hpp>

namespace skinmask {

// The side of the squares with which the small image has about `pixels` pixels at most; 1 for an
// image with fewer.
int SmallImageSquare(const cv::Size& image, int pixels);

// The size of the small image.
cv::Size SmallImageSize(const cv::Size& image, int pixels);

// The small image (CV_8UC3, of CV_8UC3). Squares start at the first corner. The last square of a
// side averages as much as the image has of it, and is left out if that is less than half. About
// 0.4 ms a megapixel on one core.
cv::Mat SmallImage(const cv::Mat& bgr, int pixels);

}  // namespace skinmask
