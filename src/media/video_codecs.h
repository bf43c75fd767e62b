// Says which of FFmpeg's decoders may see a video, and sets them up.
#pragma once

#include <string>

#include "media/ffmpeg.h"
#include "skinmask/media/video.h"

namespace skinmask {

// Whether pictures of this codec are decoded. The list is closed: FFmpeg has some 200 more, which
// nobody's camera writes today, and some of which take a picture that is not all there for a whole
// one (flashsv, cfhd).
bool IsDecoded(AVCodecID codec);

// The decoders of those, for FFmpeg's option `codec_whitelist`. No sound and no subtitles are among
// them: what FFmpeg would decode to know more of these is left unknown.
const std::string& DecoderNames();

// For AVCodecContext::get_buffer2: FFmpeg's own memory, all zero whenever it is given out. What a
// decoder leaves out is then black or green, and no part of another picture, or of what the process
// had there before.
int ZeroedBuffer(AVCodecContext* codec, AVFrame* frame, int flags);

// Of a file strict with damage; of a stream it goes on behind that. Throws Error where the decoder
// does not start, `name` being the input's.
CodecPtr OpenDecoder(const AVCodec& decoder, const AVStream& video, const VideoOpenOptions& options,
                     const std::string& name, bool stream);

}  // namespace skinmask
