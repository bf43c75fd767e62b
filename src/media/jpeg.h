// JPEG through TurboJPEG.
#pragma once

#include <opencv2/core.hpp>
#include <optional>
#include <string_view>

#include "skinmask/media/image.h"
#include "skinmask/media/video.h"

namespace skinmask {

// The picture as stored, before its EXIF orientation. Absent where it is no grey or colour JPEG
// that TurboJPEG turns into BGR (CMYK, say), but is complete as far as can be seen. Throws Error
// for one that is damaged.
std::optional<cv::Mat> DecodeJpeg(std::string_view jpeg, std::string_view subject,
                                  const DecodeOptions& options);

// The planes of Y'CbCr, or of grey, that it stores, as a frame with its orientation: nothing is
// converted, and chroma not made larger. They are in `planes`, until that is used again. Of
// `options` only the limits count. Absent for what is no JPEG, and for what has no such planes
// (RGB, CMYK). Throws Error for the same files as DecodeImage.
std::optional<VideoFrame> DecodeJpegPlanes(std::string_view bytes, std::string_view subject,
                                           const DecodeOptions& options, Scratch& planes);

}  // namespace skinmask
