// Encoders of a written video, with the settings of this project; and what containers hold, where
// FFmpeg does not say it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "media/ffmpeg.h"
#include "skinmask/media/video.h"

namespace skinmask {

// Opens FFmpeg's encoder of this name or, for the name of a codec (vp9, h264, ...), its first
// encoder, for pictures of `size` with the pixel format `source`. Its output is the same on every
// run. Throws Error if there is no such encoder, or if it does not support the transparency or the
// more than 8 bits of `source`.
CodecPtr OpenEncoder(const std::string& name, const cv::Size& size, AVPixelFormat source,
                     const VideoWriteOptions& options, const AVOutputFormat& container);

// True for MPEG program and transport streams, which hold codecs of many kinds.
bool IsMpegStream(std::string_view container);

// FFmpeg's name of the codec for pictures in this container, if none is asked for.
std::string CodecFor(const AVOutputFormat& container);

// True if the container has a rate, and no times of pictures.
bool StoresNoTimes(const AVOutputFormat& container);

// True if the container or codec has only frame counts as times: AVI and the MPEG codecs have a
// fixed rate, MPEG-4 has few time units, and Theora and Ogg count them for each frame. VC-2 gives
// each time unit a share of its bits. A bare H.264 stream states a rate, and no times; in a program
// stream only some pictures have their own.
bool CountsFrames(std::string_view container, std::string_view codec);

inline AVRational AvOf(Rational r) { return {r.num, r.den}; }

inline double SecondsOf(std::int64_t time, AVRational base) {
  return static_cast<double>(time) * base.num / base.den;
}

}  // namespace skinmask
