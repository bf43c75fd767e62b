// Models are fitted to a small image, whose pixels are the averages of squares.
#pragma once

#include <opencv2/core.hpp>

namespace skinmask {

// The side of the squares whose averages make at most about `pixels` pixels of an image; 1 for an
// image of fewer.
int SmallImageSquare(const cv::Size& image, int pixels);

// Of the small image.
cv::Size SmallImageSize(const cv::Size& image, int pixels);

// The averages (CV_8UC3, of CV_8UC3) of these squares, from the first corner on; of the last ones
// of a side as much as there is, but what is less than half of them is left out. About 0.4 ms a
// megapixel on one core.
cv::Mat SmallImage(const cv::Mat& bgr, int pixels);

}  // namespace skinmask
