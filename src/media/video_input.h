// Opens videos: what FFmpeg may open, by which of its demuxers, and what it finds there.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "media/ffmpeg.h"
#include "skinmask/media/video.h"

namespace skinmask {

// How FFmpeg is to open a file: its address, and a descriptor that it stands for, if any.
class VideoFile {
 public:
  // A named pipe is opened here, since to open it would wait for its writer, and a read for the
  // writer's data, whatever the interrupt says. Throws Error for a named pipe to which
  // nobody writes within three seconds (`stop` ends the wait), and for a tar archive (POSIX.1-1988,
  // ustar), in which some demuxers would find the video of a member.
  VideoFile(const std::string& path, const std::atomic<bool>* stop);
  ~VideoFile();
  VideoFile(const VideoFile&) = delete;
  VideoFile& operator=(const VideoFile&) = delete;
  const std::string& address() const { return address_; }
  bool is_regular() const { return pipe_ < 0; }

 private:
  std::string address_;
  int pipe_ = -1;
};

// Opens a file by its address; null where it fails, `result` saying why. It is taken by the
// demuxers of containers that hold their own data alone, whatever its content looks like to the
// others, and no demuxer opens anything but files: playlists (HLS, DASH, concat, SDP and the like)
// would open what they name, and themselves. `raw`: it holds such frames, which FFmpeg takes by the
// demuxer "rawvideo".
InputPtr OpenFile(const std::string& address, int& result, AVIOInterruptCB interrupt = {},
                  const RawVideo* raw = nullptr);

// The same for a stream, which the user has named by its address. Demuxers are as FFmpeg has them,
// but for what makes it current: the newest frame is the one that is wanted.
InputPtr OpenStream(const std::string& address, int& result, AVIOInterruptCB interrupt);

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

}  // namespace skinmask
