// TIFF by libtiff and OpenCV, for the module skinmask-imgcodecs.
#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <string_view>

#include "media/image_codec.h"

namespace skinmask {

// skinmask_read_header for a TIFF.
void ReadTiffHeader(std::string_view bytes, ImageHeader& header, std::string& problem);

// `flags` are those of cv::imread. A damaged file gives an empty image or throws cv::Exception.
cv::Mat DecodeWithOpenCv(std::string_view bytes, int flags);
cv::Mat DecodeTiff(std::string_view bytes, int flags);

}  // namespace skinmask
