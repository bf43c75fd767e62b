// Opens encoders of pictures, set for what this project writes.
#pragma once

#include <string>

#include "media/ffmpeg.h"
#include "skinmask/media/video.h"

namespace skinmask {

// The encoder that FFmpeg calls so, or (vp9, h264, ...) its first one for the codec of that name,
// for pictures of `size` with pixels as in `source`. It is the same on every run. Throws Error:
// there is none, or it does not take what makes `source` up: transparency, more than 8 bits.
CodecPtr OpenEncoder(const std::string& name, const cv::Size& size, AVPixelFormat source,
                     const VideoWriteOptions& options, bool global_header);

}  // namespace skinmask
