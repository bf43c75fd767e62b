// Makes a VideoFrame from FFmpeg's AVFrame, and converts pixels by swscale.
#pragma once

#include "media/ffmpeg.h"
#include "media/image_codec.h"
#include "skinmask/media/video.h"

namespace skinmask {

// The number of pixels beyond the end of a row that swscale's converters may read or write.
inline constexpr int kPaddingPixels = 16;

// The orientation of a display matrix (nine numbers, as in FFmpeg), rounded to quarter turns.
Orientation OrientationOf(const std::int32_t* display_matrix);

// Sets layout, encoding and planes; the result owns the AVFrame. The caller sets the timestamps.
VideoFrame WrapFrame(FramePtr frame, const Orientation& orientation);

// A converter between pictures of the same size, one of which may be YUV with the given matrix
// (SWS_CS_...), each of full or of limited range.
ScalerPtr MakeScaler(cv::Size size, AVPixelFormat from, bool from_full, AVPixelFormat to,
                     bool to_full, int matrix, int flags);

}  // namespace skinmask
