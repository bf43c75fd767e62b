#include "skinmask/detect/seed_finder.h"

#include <cmath>

namespace skinmask {

cv::Point2d FaceFrame::FromImage(const cv::Point2d& point) const {
  const cv::Point2d d = (point - centre) / size;
  const double c = std::cos(tilt), s = std::sin(tilt);
  return {c * d.x + s * d.y, c * d.y - s * d.x};
}

cv::Rect FaceFrame::Box(const cv::Size& image) const {
  const cv::Point2d half(size / 2, size / 2);
  return cv::Rect(cv::Point(centre - half), cv::Point(centre + half)) & cv::Rect({}, image);
}

}  // namespace skinmask
