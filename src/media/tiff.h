// TIFF by libtiff and OpenCV, for the module skinmask-imgcodecs.
#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <string_view>

#include "media/image_codec.h"

namespace skinmask {

// The problem of a whole file that is not read.
inline constexpr const char* kUnreadTiff =
    "is a TIFF of a kind that is not read (8 bits, grey of 1, or grey or RGB of 16 bits, "
    "interleaved)";

// skinmask_read_header for a TIFF.
void ReadTiffHeader(std::string_view bytes, ImageHeader& header, std::string& problem);

// `flags` are those of cv::imread. A damaged file gives an empty image or throws cv::Exception.
cv::Mat DecodeWithOpenCv(std::string_view bytes, int flags);
cv::Mat DecodeTiff(std::string_view bytes, int flags);

}  // namespace skinmask
