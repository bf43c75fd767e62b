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
// The mask as alpha that passes from 0 to 255 over some `width` pixels on either side of its
// border, by P(skin) (`probability`, CV_8UC1) around the threshold; farther than twice that from
// the border it is the mask. Whole numbers alone are computed with. `FeatherOf`: the usual width.
cv::Mat FeatheredAlpha(const cv::Mat& mask, const cv::Mat& probability, double threshold,
                       int width);
int FeatherOf(const cv::Size& size);
cv::Mat BlackOut(const cv::Mat& bgr, const cv::Mat& mask);  // the same on black, for videos
// Colours for `count` classes, three bytes R G B each; and indices (CV_8UC1) in such colours
// (CV_8UC3).
std::string ClassPalette(std::size_t count);
cv::Mat InPalette(const cv::Mat& indices, const std::string& rgb);

}  // namespace skinmask
