// What telephones and newer cameras write: HEIC and AVIF by libheif, JPEG XL by libjxl, each in a
// module of its own that is loaded when the first such file comes. A build without one of these
// libraries has no such module, and reads no such files.
#pragma once

#include <cstdint>
#include <functional>
#include <opencv2/core.hpp>
#include <string>
#include <string_view>

#include "media/image_format.h"

namespace skinmask {

// Told of the size of a picture, and of how many pixels are decoded for it (more than it has where
// layers are laid over each other), before memory is taken; may throw.
using CheckPicture = std::function<void(const PictureSize&, std::int64_t decoded)>;

// A file of either format as CV_8UC3, upright, alpha ignored. Throws Error for one that is damaged,
// an animation, or of a format that this build does not read.
cv::Mat DecodeHeif(std::string_view bytes, std::string_view subject, const CheckPicture& check);
cv::Mat DecodeJxl(std::string_view bytes, std::string_view subject, const CheckPicture& check);

}  // namespace skinmask

// What the modules skinmask-heif and skinmask-jxl have: the picture, in R G B, or a problem.
extern "C" void skinmask_decode_heif(std::string_view bytes, const skinmask::CheckPicture& check,
                                     cv::Mat& rgb, std::string& problem);
extern "C" void skinmask_decode_jxl(std::string_view bytes, const skinmask::CheckPicture& check,
                                    cv::Mat& rgb, std::string& problem);
