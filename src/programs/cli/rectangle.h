// Rectangles and sizes of pictures as options write them.
#pragma once

#include <opencv2/core.hpp>
#include <optional>
#include <string_view>

namespace skinmask::cli {

// "X,Y,WIDTH,HEIGHT" in pixels; absent where the text is anything else, or holds no pixel.
std::optional<cv::Rect> ParseRectangle(std::string_view text);
// "WIDTHxHEIGHT" likewise.
std::optional<cv::Size> ParseSize(std::string_view text);

}  // namespace skinmask::cli
