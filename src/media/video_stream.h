// The stream of pictures of an input that FFmpeg has opened.
#pragma once

#include <string>

#include "media/ffmpeg.h"
#include "skinmask/media/video.h"

namespace skinmask {

// Only this stream's packets are to come.
void DiscardOthers(AVFormatContext* format, int index);

// What the container tells. `stream`: the input is one, and has no end.
VideoInfo InfoOf(AVFormatContext* format, int index, bool stream);

// Of a file strict with damage; of a stream it goes on behind that. Throws Error where the decoder
// does not start, `name` being the input's.
CodecPtr OpenDecoder(const AVCodec& decoder, const AVStream& video, const VideoOpenOptions& options,
                     const std::string& name, bool stream);

}  // namespace skinmask
