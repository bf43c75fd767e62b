// A Backdrop stands behind a cut-out.
#pragma once

#include <opencv2/core.hpp>
#include <optional>
#include <string>

namespace skinmask::live {

class Backdrop {
 public:
  // 'blur': the frame, blurred; a colour as ParseColor takes it; or an image file, which covers the
  // frame in its own shape. Throws Error where it cannot be read.
  explicit Backdrop(const std::string& what = "blur");

  // CV_8UC3 of the frame's size.
  cv::Mat Behind(const cv::Mat& bgr);

 private:
  std::optional<cv::Scalar> color_;
  cv::Mat image_;   // as it was read; empty: none
  cv::Mat fitted_;  // for frames of its size
};

// '#RRGGBB', or black, white, grey, green or blue; absent where it is none of them. B G R.
std::optional<cv::Scalar> ParseColor(const std::string& text);

}  // namespace skinmask::live
