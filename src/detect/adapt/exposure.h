// The light that an image without a face is judged in. The global model knows the exposures that it
// was trained on; a picture of less light is taken to be lighter, by one gain for all channels.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

#include "skinmask/detect/adapt_options.h"

namespace skinmask {

// By how many stops (powers of two, 0 or more) the image is to be lighter.
double StopsOf(const cv::Mat& bgr, const ImageDecisionOptions& options);

// What each byte, as sRGB encodes light (IEC 61966-2-1), is with so much more of it; empty for 0.
std::vector<std::uint8_t> LightTable(double stops);

// The image in that light.
cv::Mat InLight(const cv::Mat& bgr, const std::vector<std::uint8_t>& light);

}  // namespace skinmask
