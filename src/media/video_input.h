// Opens videos: decides what FFmpeg may open, with which demuxers and decoders, and describes the
// content.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "base/stream.h"
#include "media/ffmpeg.h"
#include "skinmask/media/video.h"

namespace skinmask {

// How FFmpeg opens a file: its address and, for a pipe, the open descriptor.
struct VideoFile {
  // Named pipes are opened here, because in FFmpeg opening would wait for the writer, and reading
  // for the writer's data, regardless of the interrupt callback. Throws Error for a named pipe to
  // which nobody writes within three seconds (`stop` ends the wait), and for a tar archive
  // (POSIX.1-1988, ustar), in which some demuxers would find the video of a member.
  VideoFile(const std::string& path, const std::atomic<bool>* stop);

  std::string address;
  Descriptor pipe{-1};
};

// Opens a file by its address. Returns FFmpeg's result; `input` is null after an error. Only the
// demuxers of self-contained containers are allowed, whatever the content looks like, and no
// demuxer may open anything but files, because playlists (HLS, DASH, concat, SDP and the like)
// would open other files or themselves. `raw`: the file is a raw video, for the demuxer "rawvideo".
// `current`: frames arrive in real time, so the first frame must not wait until FFmpeg has analysed
// several seconds.
int OpenFile(InputPtr& input, const std::string& address, AVIOInterruptCB interrupt = {},
             const std::optional<RawVideo>& raw = {}, bool current = false);

// The same for a stream, whose address the user has given. All demuxers of FFmpeg are allowed;
// their options minimise the delay, because the newest frame is wanted.
int OpenStream(InputPtr& input, const std::string& address, AVIOInterruptCB interrupt);

// Throws Error for invalid or too large frames.
void CheckRaw(const RawVideo& raw, std::int64_t max_pixels, const std::string& name);

// Throws Error for a stream with pictures that are too large.
void CheckPictures(const AVCodecParameters& picture, std::int64_t max_pixels,
                   const std::string& name);

// Throws Error for results of opening a file that FFmpeg's own messages do not explain.
void CheckOpened(int result, const std::string& name);

// Calls avformat_find_stream_info, with decoders that refuse pictures of more than `max_pixels`.
int FindStreamInfo(AVFormatContext* format, std::int64_t max_pixels);

// Makes FFmpeg return packets of this stream only.
void DiscardOthers(AVFormatContext* format, int index);

// So small that sums of three do not overflow in a damaged file.
inline constexpr std::int64_t kMaxTime = 1LL << 61;

// When the video ends by its container, in its time base; -kMaxTime if that is not known.
std::int64_t EndOf(const AVFormatContext& format, int index);

// The information of the container. `stream`: the input has no end.
VideoInfo InfoOf(AVFormatContext* format, int index, bool stream);

// True if this codec is decoded. FFmpeg has about 200 more codecs, which no camera writes today;
// some of these decoders return incomplete pictures as complete ones (flashsv, cfhd).
bool IsDecoded(AVCodecID codec);

// For AVCodecContext::get_buffer2: FFmpeg's own memory, zeroed at each use. Pixels that a decoder
// does not write are then black or green, and never parts of another picture or of other memory of
// the process.
int ZeroedBuffer(AVCodecContext* codec, AVFrame* frame, int flags);

// Opens a decoder that is strict about damage for files, and that continues after damage for
// streams. Throws Error if the decoder does not start; `name` is the name of the input.
CodecPtr OpenDecoder(const AVCodec& decoder, const AVStream& video, const VideoOpenOptions& options,
                     const std::string& name, bool stream);

}  // namespace skinmask
