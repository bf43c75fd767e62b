// Makes a VideoFrame of a frame of FFmpeg's, and converts pixels by its library swscale.
#pragma once

#include "media/ffmpeg.h"
#include "media/image_codec.h"
#include "skinmask/media/video.h"

namespace skinmask {

// Pixels of a row beyond the picture that swscale's converters may read or write.
inline constexpr int kPaddingPixels = 16;

// Throws Error for a name that FFmpeg has not, with the nearest that it has.
void RequirePixelFormat(const std::string& name);

// Of a display matrix (nine numbers as FFmpeg has them), to the nearest quarter turn.
Orientation OrientationOf(const std::int32_t* display_matrix);

// Layout, encoding, planes; the frame keeps what it refers to alive. Timestamps are the caller's.
VideoFrame WrapFrame(FramePtr frame, const Orientation& orientation);

// A converter between pictures of one size, one side of which may be YUV: with that matrix
// (SWS_CS_...) and range.
ScalerPtr MakeScaler(cv::Size size, AVPixelFormat from, AVPixelFormat to, int matrix,
                     bool full_range, int flags);

}  // namespace skinmask
