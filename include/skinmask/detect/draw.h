// Masks and classes as pictures to look at.
#pragma once

#include <cstddef>
#include <opencv2/core.hpp>
#include <string>

namespace [[gnu::visibility("default")]] skinmask {

// The picture darkened where there is no skin, with the border of the skin drawn in, one pixel wide
// for each thousand of the shorter side (rounded, at least one); and the picture as BGRA with the
// mask as alpha. `memory` is used where it fits.
cv::Mat DrawOverlay(const cv::Mat& bgr, const cv::Mat& mask, cv::Mat memory = {});
cv::Mat CutOut(const cv::Mat& bgr, const cv::Mat& mask, cv::Mat memory = {});
cv::Mat BlackOut(const cv::Mat& bgr, const cv::Mat& mask);  // the same on black, for videos
// Colours for `count` classes, three bytes R G B each; and indices (CV_8UC1) in such colours
// (CV_8UC3).
std::string ClassPalette(std::size_t count);
cv::Mat InPalette(const cv::Mat& indices, const std::string& rgb);

}  // namespace skinmask
