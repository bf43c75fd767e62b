// Images in and out, by one reading rule.
#pragma once

#include <filesystem>
#include <opencv2/core.hpp>
#include <string>
#include <string_view>

#include "skinmask/file.h"

namespace skinmask {

// Decodes an image file to CV_8UC3, channels B G R: EXIF orientation applied, grey spread to three
// channels, 16-bit scaled by 255/65535 and rounded, alpha ignored, CMYK and palettes by the codec.
// JPEG, PNG, BMP, TIFF, WebP, PNM and what else OpenCV was built with. Throws Error for anything that
// cannot be decoded whole: empty, truncated or corrupt files give no half image.
cv::Mat ReadImage(const std::filesystem::path& path);
cv::Mat DecodeImage(std::string_view bytes, std::string_view subject);

bool IsJpeg(std::string_view bytes);

// Encodes CV_8UC1, 8UC3 or 8UC4 as PNG.
std::string EncodePng(const cv::Mat& image);

}  // namespace skinmask
