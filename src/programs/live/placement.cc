#include "programs/live/placement.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

namespace skinmask::live {

cv::Rect Fitted(const cv::Size& picture, const cv::Size& area) {
  if (picture.empty() || area.empty()) return {};
  const double scale = std::min(static_cast<double>(area.width) / picture.width,
                                static_cast<double>(area.height) / picture.height);
  const cv::Size size(std::clamp(cvRound(scale * picture.width), 1, area.width),
                      std::clamp(cvRound(scale * picture.height), 1, area.height));
  return {cv::Point((area.width - size.width) / 2, (area.height - size.height) / 2), size};
}

cv::Point PixelUnder(const cv::Size& picture, const cv::Rect& fitted, const cv::Point2d& point) {
  const double x = (point.x - fitted.x) * picture.width / fitted.width;
  const double y = (point.y - fitted.y) * picture.height / fitted.height;
  return {static_cast<int>(std::clamp(std::floor(x), 0.0, picture.width - 1.0)),
          static_cast<int>(std::clamp(std::floor(y), 0.0, picture.height - 1.0))};
}

cv::Mat ForScreen(const cv::Mat& picture, const cv::Size& size) {
  cv::Mat scaled = picture, screen;
  if (size != picture.size()) cv::resize(picture, scaled, size, 0, 0, cv::INTER_LINEAR);
  cv::cvtColor(scaled, screen, picture.channels() == 1 ? cv::COLOR_GRAY2BGRA : cv::COLOR_BGR2BGRA);
  return screen;
}

}  // namespace skinmask::live
