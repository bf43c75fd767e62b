// Video files that were cut off.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "media/ffmpeg.h"

namespace skinmask {

// What is wrong with the end of an open file, which was read to its end; empty where nothing is:
// its container names data that lie behind the end of the file; a GIF's blocks do not lead to the
// mark of its end; an AVI's index has more pictures than were read. `index` is that of the stream
// of pictures, and `packets` how many came of it.
std::string WrongEnd(const AVFormatContext& format, int index, const std::string& path,
                     std::int64_t packets);

// Where a Matroska file with this beginning says that it ends: behind its segment (RFC 8794: an ID,
// a length of one to eight bytes whose leading zeros tell how many, the data). 0 where it does not
// say.
std::int64_t MatroskaEnd(std::string_view head);

}  // namespace skinmask
