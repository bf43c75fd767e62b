// Pictures of HDR video as SDR pictures.
#pragma once

#include <opencv2/core.hpp>

#include "media/ffmpeg.h"

namespace skinmask {

// Whether the frame's transfer function is PQ or HLG (ITU-R BT.2100).
bool IsHdr(const AVFrame& frame);

// Converts the B' G' R' of such a frame (CV_8UC3, full range) to those of an SDR display: light of
// 203 cd/m2, HDR's reference white (ITU-R BT.2408), becomes 255, and brighter light is clipped.
// BT.2100's display light (HLG: on a display of 1000 cd/m2), BT.709's primaries, and the inverse of
// BT.1886's exponent 2.4. About 10 ns a pixel.
void ToSdr(const AVFrame& of, cv::Mat bgr);

}  // namespace skinmask
