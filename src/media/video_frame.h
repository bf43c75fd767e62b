// Makes a VideoFrame from FFmpeg's AVFrame, and converts pixels by swscale, those of HDR by tables.
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

// In hdr.cc. Whether the frame's transfer function is PQ or HLG (ITU-R BT.2100).
bool IsHdr(const AVFrame& frame);

// Converts the B' G' R' of such a frame (CV_8UC3, full range) to those of an SDR display: light of
// 203 cd/m2, HDR's reference white (ITU-R BT.2408), becomes 255, and brighter light is clipped. It
// computes BT.2100's display light (HLG: on a display of 1000 cd/m2), converts it to BT.709's
// primaries, and applies the inverse of BT.1886's exponent 2.4. Primaries that are neither BT.709's
// nor P3's count as BT.2020's. About 12 ns a pixel.
void ToSdr(const AVFrame& of, cv::Mat bgr);

}  // namespace skinmask
