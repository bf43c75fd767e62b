// Pictures of HDR video as SDR pictures.
#pragma once

#include <opencv2/core.hpp>

#include "media/ffmpeg.h"

namespace skinmask {

// Whether the frame's transfer function is PQ or HLG (ITU-R BT.2100).
bool IsHdr(const AVFrame& frame);

// Converts the B' G' R' of such a frame (CV_8UC3, full range) to those of an SDR display: light of
// 203 cd/m2, HDR's reference white (ITU-R BT.2408), becomes 255, and brighter light is clipped. It
// computes BT.2100's display light (HLG: on a display of 1000 cd/m2), converts it to BT.709's
// primaries, and applies the inverse of BT.1886's exponent 2.4. Primaries that are neither BT.709's
// nor P3's count as BT.2020's. About 12 ns a pixel.
void ToSdr(const AVFrame& of, cv::Mat bgr);

}  // namespace skinmask
