// JPEG through TurboJPEG.
#pragma once

#include <opencv2/core.hpp>
#include <optional>
#include <string_view>

#include "skinmask/media/image.h"

namespace skinmask {

// The picture as stored, before its EXIF orientation. Absent where it is no grey or colour JPEG
// that TurboJPEG turns into BGR (CMYK, say), but is complete as far as can be seen. Throws Error
// for one that is damaged.
std::optional<cv::Mat> DecodeJpeg(std::string_view jpeg, std::string_view subject,
                                  const DecodeOptions& options);

}  // namespace skinmask
