#include "media/scaled_down.h"

#include <opencv2/imgproc.hpp>

namespace skinmask {

cv::Mat ScaledDown(const cv::Mat& picture, int scale) {
  if (scale == 1) return picture;
  cv::Mat scaled;
  cv::resize(picture, scaled, {Scaled(picture.cols, scale), Scaled(picture.rows, scale)}, 0, 0,
             cv::INTER_AREA);
  return scaled;
}

}  // namespace skinmask
