// PNG: read through libpng (png_decode.cc), written by our own hand with ISA-L (png_encode.cc,
// docs/decisions/0004-png.md).
#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <string_view>

#include "skinmask/base/scratch.h"

namespace skinmask {

// An 8-bit picture, in the buffer if there is one.
cv::Mat Allocate(int rows, int cols, int channels, Scratch* buffer);

inline constexpr std::string_view kPngSignature("\x89PNG\r\n\x1a\n", 8);

bool IsPng(std::string_view bytes);

struct DecodedPng {
  cv::Mat image;     // CV_8UC3 B G R, or CV_8UC1 for grey files where that is kept
  std::string exif;  // the eXIf chunk, empty without one
};

// Decodes a whole PNG: palettes and few bits expanded, 16 bits scaled and rounded, alpha left out.
// The picture is in the buffer if there is one. Throws Error for a file that is damaged or does not
// reach its IEND chunk.
DecodedPng DecodePng(std::string_view bytes, std::string_view subject, bool keep_grey,
                     Scratch* buffer);

}  // namespace skinmask
