// Opens videos: what FFmpeg may open, by which of its demuxers and decoders, and what it finds
// there.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "base/stream.h"
#include "media/ffmpeg.h"
#include "skinmask/base/file.h"
#include "skinmask/media/video.h"

namespace skinmask {

// The first bytes of a file, at most `size`.
std::string HeadOf(const std::string& path, std::size_t size);

// How FFmpeg is to open a file: its address, and a descriptor that it stands for, if any.
class VideoFile {
 public:
  // A named pipe is opened here, since to open it would wait for its writer, and a read for the
  // writer's data, whatever the interrupt says. Throws Error for a named pipe to which
  // nobody writes within three seconds (`stop` ends the wait), and for a tar archive (POSIX.1-1988,
  // ustar), in which some demuxers would find the video of a member.
  VideoFile(const std::string& path, const std::atomic<bool>* stop);
  const std::string& address() const { return address_; }
  bool is_regular() const { return pipe_.get() < 0; }
  // The first bytes of a pipe, which stay in it: PeekDescriptor.
  std::string FirstBytes(const std::atomic<bool>* stop) const {
    return PeekDescriptor(pipe_.get(), stop);
  }

 private:
  std::string address_;
  Descriptor pipe_{-1};
};

// Opens a file by its address. Returns what FFmpeg does; `input` is null where that is an error. It
// is taken by the demuxers of containers that hold their own data alone, whatever its content looks
// like to the others, and no demuxer opens anything but files: playlists (HLS, DASH, concat, SDP
// and the like) would open what they name, and themselves. `raw`: it holds such frames, which
// FFmpeg takes by the demuxer "rawvideo". `current`: its frames come as they are made, and the
// first one is not to wait until FFmpeg has seen seconds of them.
int OpenFile(InputPtr& input, const std::string& address, AVIOInterruptCB interrupt = {},
             const std::optional<RawVideo>& raw = {}, bool current = false);

// The same for a stream, which the user has named by its address. Demuxers are as FFmpeg has them,
// but for what makes it current: the newest frame is the one that is wanted.
int OpenStream(InputPtr& input, const std::string& address, AVIOInterruptCB interrupt);

// Throws Error for frames that there cannot be, or that are larger than is allowed.
void CheckRaw(const RawVideo& raw, std::int64_t max_pixels, const std::string& name);

// Throws Error for a stream of pictures that are larger than is allowed.
void CheckPictures(const AVCodecParameters& picture, std::int64_t max_pixels,
                   const std::string& name);

// Throws Error where the result of opening a file is one that FFmpeg's own words for it do not
// explain.
void CheckOpened(int result, const std::string& name);

// avformat_find_stream_info, whose decoders take no pictures of more than `max_pixels`.
int FindStreamInfo(AVFormatContext* format, std::int64_t max_pixels);

// Only this stream's packets are to come.
void DiscardOthers(AVFormatContext* format, int index);

// What the container tells. `stream`: the input is one, and has no end.
VideoInfo InfoOf(AVFormatContext* format, int index, bool stream);

// Whether pictures of this codec are decoded. The list is closed: FFmpeg has some 200 more, which
// nobody's camera writes today, and some of which take a picture that is not all there for a whole
// one (flashsv, cfhd).
bool IsDecoded(AVCodecID codec);

// For AVCodecContext::get_buffer2: FFmpeg's own memory, all zero whenever it is given out. What a
// decoder leaves out is then black or green, and no part of another picture, or of what the process
// had there before.
int ZeroedBuffer(AVCodecContext* codec, AVFrame* frame, int flags);

// Of a file strict with damage; of a stream it goes on behind that. Throws Error where the decoder
// does not start, `name` being the input's.
CodecPtr OpenDecoder(const AVCodec& decoder, const AVStream& video, const VideoOpenOptions& options,
                     const std::string& name, bool stream);

}  // namespace skinmask
