// TIFF by libtiff and OpenCV, for the module skinmask-imgcodecs.
#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <string_view>

#include "media/image_codec.h"

namespace skinmask {

// What skinmask_read_header tells of a TIFF.
void ReadTiffHeader(std::string_view bytes, ImageHeader& header, std::string& problem);

// These take the flags of cv::imread. An empty image, or cv::Exception: the file is damaged.
cv::Mat DecodeWithOpenCv(std::string_view bytes, int flags);
cv::Mat DecodeTiff(std::string_view bytes, int flags);

}  // namespace skinmask
