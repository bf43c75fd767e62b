// Images in and out, by one reading rule.
#pragma once

#include <filesystem>
#include <opencv2/core.hpp>
#include <string>
#include <string_view>

#include "skinmask/base/file.h"
#include "skinmask/base/scratch.h"

namespace skinmask {

struct DecodeOptions {
  // 1, 2, 4 or 8: a picture of 1/scale the width and height, rounded up. JPEG is decoded at that
  // size (fewer coefficients, so faster), others are averaged over areas.
  int scale = 1;
  bool keep_grey = false;  // grey files give CV_8UC1
  // Damaged JPEGs are taken as the decoder makes them up, for cameras that send odd ones.
  bool lenient = false;
  // Where the pixels of JPEG and PNG may be stored. The picture then lives until the next use of
  // it.
  Scratch* buffer = nullptr;
};

// Decodes an image file to CV_8UC3, channels B G R: EXIF orientation applied, grey spread to three
// channels, 16-bit scaled by 255/65535 and rounded, alpha ignored, CMYK and palettes by the codec.
// JPEG, PNG, BMP, TIFF, WebP, PNM and what else OpenCV was built with. Throws Error for anything
// that cannot be decoded whole: empty, truncated or corrupt files give no half image. (TIFF strips
// that are corrupt but complete pass OpenCV's decoder unnoticed, and it knows no orientation of
// WebP.)
cv::Mat ReadImage(const std::filesystem::path& path, const DecodeOptions& options = {});
cv::Mat DecodeImage(std::string_view bytes, std::string_view subject,
                    const DecodeOptions& options = {});

bool IsJpeg(std::string_view bytes);

// Encodes CV_8UC1 or 8UC3 (with chroma of a quarter) as JPEG of a quality of 1 to 100.
std::string EncodeJpeg(const cv::Mat& image, int quality);
// Encodes CV_8UC1, 8UC3 or 8UC4 as PNG.
std::string EncodePng(const cv::Mat& image);
// Encodes CV_8UC1 indices into `rgb`, 1 to 256 colours of three bytes, as a palette image.
std::string EncodePalettePng(const cv::Mat& indices, std::string_view rgb);

}  // namespace skinmask
