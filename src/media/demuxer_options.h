// What FFmpeg's demuxers may do.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "media/ffmpeg.h"
#include "skinmask/media/video.h"

namespace skinmask {

// Options for avformat_open_input. A file is taken by the demuxers of containers that hold their
// own data alone, whatever its content looks like to the others, and no demuxer opens anything but
// files: playlists (HLS, DASH, concat, SDP and the like) would open what they name, and themselves.
// For a stream, which the user has named by its address, they are as FFmpeg has them, but for what
// makes it current: the newest frame is the one that is wanted.
class DemuxerOptions {
 public:
  explicit DemuxerOptions(bool stream);
  // For raw frames, which FFmpeg takes by the demuxer "rawvideo".
  explicit DemuxerOptions(const RawVideo& raw);
  ~DemuxerOptions();
  DemuxerOptions(const DemuxerOptions&) = delete;
  DemuxerOptions& operator=(const DemuxerOptions&) = delete;
  AVDictionary** get() { return &options_; }

 private:
  void Set(const char* key, const char* value);
  AVDictionary* options_ = nullptr;
};

// Throws Error for frames that there cannot be, or that are larger than is allowed.
void CheckRaw(const RawVideo& raw, std::int64_t max_pixels, const std::string& name);

// The demuxer for a regular file that FFmpeg would take for something else: null where it chooses.
const AVInputFormat* DemuxerFor(const std::string& path);

// Throws Error where the result of avformat_open_input on a file is one that FFmpeg's own words for
// it do not explain.
void CheckOpened(int result, const std::string& name);

// avformat_find_stream_info, whose decoders take no pictures of more than `max_pixels`.
int FindStreamInfo(AVFormatContext* format, std::int64_t max_pixels);

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

 private:
  std::string address_;
  int pipe_ = -1;
};

}  // namespace skinmask
