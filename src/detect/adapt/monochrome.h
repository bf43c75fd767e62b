// A monochrome image, grey or toned (sepia), has one hue for each lightness. Its hue says nothing
// about what it shows, so it is classified as its grey version.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>

#include "skinmask/detect/adapt_options.h"

namespace skinmask {

// `small_bgr` is the image, reduced to some 10,000 pixels or more. About 0.2 ms. A frame of a
// stream whose predecessor was monochrome stays so up to a higher bound.
bool IsMonochrome(const cv::Mat& small_bgr, const ImageDecisionOptions& options,
                  bool was_monochrome = false);

// The mean of the channels, rounded.
inline std::uint8_t GreyOf(const std::uint8_t* bgr) {
  return static_cast<std::uint8_t>((bgr[0] + bgr[1] + bgr[2] + 1) / 3);
}

// The image with GreyOf in all three channels.
cv::Mat InGrey(const cv::Mat& bgr);

}  // namespace skinmask
