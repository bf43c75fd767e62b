// A picture of skin that only an adapted model finds.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "support/world.h"

namespace skinmask::testing {

// Under green light: skin of a colour that the global model takes for none, before grey and blue.
inline const cv::Scalar kSkin(110, 170, 120);
inline const cv::Rect kInside(110, 60, 40, 40);

inline cv::Mat TrueSkin() {
  cv::Mat mask(200, 320, CV_8UC1, cv::Scalar(0));
  cv::circle(mask, {130, 80}, 60, 255, cv::FILLED);
  return mask;
}

inline cv::Mat GreenPicture() {
  cv::Mat bgr(200, 320, CV_8UC3, cv::Scalar(120, 120, 120));
  bgr(cv::Rect(0, 100, 320, 100)).setTo(cv::Scalar(150, 90, 60));
  bgr.setTo(kSkin, TrueSkin());
  Random random(7);
  for (int y = 0; y < bgr.rows; ++y)
    for (int x = 0; x < 3 * bgr.cols; ++x)
      bgr.ptr(y)[x] = static_cast<std::uint8_t>(bgr.ptr(y)[x] + 6 * random.Normal());
  return bgr;
}

}  // namespace skinmask::testing
