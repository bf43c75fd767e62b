// What containers of videos hold, where FFmpeg does not say it.
#pragma once

#include <string>
#include <string_view>

#include "media/ffmpeg.h"

namespace skinmask {

// FFmpeg's name of the codec for pictures in this container, if none is asked for.
std::string CodecFor(const AVOutputFormat& container);

// True if this sound can be stored in the container, and read again.
bool TakesSound(const AVOutputFormat& container, AVCodecID codec);

// True if the container has a rate, and no times of pictures.
bool StoresNoTimes(const AVOutputFormat& container);

// True if the container or codec has only frame counts as times: AVI and the MPEG codecs have a
// fixed rate, MPEG-4 has few time units, and Theora counts them for each frame. VC-2 gives each
// time unit a share of its bits.
bool CountsFrames(std::string_view container, std::string_view codec);

}  // namespace skinmask
