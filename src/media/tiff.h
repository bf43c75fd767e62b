// TIFF by libtiff, for the module skinmask-imgcodecs.
#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <string_view>

#include "media/image_codec.h"

namespace skinmask {

// skinmask_read_header for a TIFF.
void ReadTiffHeader(std::string_view bytes, ImageHeader& header, std::string& problem);

// The picture as it is stored, not turned. A damaged file throws cv::Exception.
cv::Mat DecodeTiff(std::string_view bytes, bool keep_grey);

}  // namespace skinmask
