// JPEG is decoded by TurboJPEG, to pixels or to the planes that it stores.
#pragma once

#include <optional>
#include <string_view>

#include "media/image_codec.h"
#include "skinmask/media/image.h"
#include "skinmask/media/video.h"

namespace skinmask {

// The codec's functions (media/image_codec.h). CMYK is decoded by OpenCV.
ImageHeader JpegHeader(std::string_view jpeg, std::string_view subject);
StoredImage DecodeJpeg(std::string_view jpeg, std::string_view subject, const ImageHeader& header,
                       const DecodeOptions& options);

// The planes of Y'CbCr, or of grey, that it stores, as a frame with its orientation: nothing is
// converted, and chroma not made larger. They are in `planes`, until that is used again. Of
// `options` only the limits count. Absent for what is no JPEG, and for what has no such planes
// (RGB, CMYK, or a profile that is not sRGB). Throws Error for the same files as DecodeImage.
std::optional<VideoFrame> DecodeJpegPlanes(std::string_view bytes, std::string_view subject,
                                           const DecodeOptions& options, Scratch& planes);

}  // namespace skinmask
