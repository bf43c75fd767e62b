// Video files that were cut off.
#pragma once

#include <string>

#include "media/ffmpeg.h"

namespace skinmask {

// True where the container of an open file names data that lie behind the end of the file. `index`
// is that of the stream of pictures.
bool EndsEarly(const AVFormatContext& format, int index, const std::string& path);

}  // namespace skinmask
