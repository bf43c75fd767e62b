#pragma once

#include <opencv2/core.hpp>

namespace skinmask {

// Contrast-limited adaptive histogram equalisation (Zuiderveld 1994) of a grey picture, CV_8UC1, in
// 8 x 8 tiles: it gives faces in the shade the contrast of faces in the light. It uses integers
// alone, so the bytes are the same on every CPU; those of cv::CLAHE differ by some levels. Cost: 4
// ns a pixel.
cv::Mat Equalized(const cv::Mat& grey);

}  // namespace skinmask
