// Where a picture lies in the area that shows it.
#pragma once

#include <opencv2/core.hpp>

namespace skinmask::live {

// The largest rectangle of the picture's shape in the middle of `area`, at least a pixel each way;
// empty where one of them is.
cv::Rect Fitted(const cv::Size& picture, const cv::Size& area);

// The pixel of the picture under a point of the area; the nearest one, where the point lies beside
// it. `fitted` is not empty.
cv::Point PixelUnder(const cv::Size& picture, const cv::Rect& fitted, const cv::Point2d& point);

// `picture` (CV_8UC1 or CV_8UC3) at `size`, as CV_8UC4 for the screen.
cv::Mat ForScreen(const cv::Mat& picture, const cv::Size& size);

}  // namespace skinmask::live
