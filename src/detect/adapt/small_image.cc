#include "detect/adapt/small_image.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

namespace skinmask {

cv::Mat SmallImage(const cv::Mat& bgr, int pixels) {
  const double factor =
      std::max(1., std::ceil(std::sqrt(static_cast<double>(bgr.total()) / pixels)));
  cv::Mat small;
  cv::resize(bgr, small, {}, 1 / factor, 1 / factor, cv::INTER_AREA);
  return small;
}

cv::Mat Enlarged(const cv::Mat& small, const cv::Size& size, Scratch& buffer) {
  const auto bytes = static_cast<std::size_t>(size.area()) * sizeof(float);
  cv::Mat large(size, CV_32FC1, buffer.Get(bytes));
  cv::resize(small, large, size, 0, 0, cv::INTER_LINEAR);
  return large;
}

}  // namespace skinmask
