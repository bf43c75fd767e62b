// The sound of a video file as it is stored.
#pragma once

#include <cstdint>
#include <string>

#include "media/ffmpeg.h"

namespace skinmask {

// Packets of a file's sound (of several streams, the one that players take), in the order in which
// they are stored. Nothing is decoded.
class SoundTrack {
 public:
  // Throws Error where the file cannot be read a second time, or holds no sound.
  explicit SoundTrack(const std::string& path);
  ~SoundTrack() { Ffmpeg::Get().avformat_close_input(&format_); }
  SoundTrack(const SoundTrack&) = delete;
  SoundTrack& operator=(const SoundTrack&) = delete;

  const AVStream& stream() const { return *format_->streams[index_]; }
  // The packet that Next came to, in the stream's time base; null at the end.
  AVPacket* packet() const { return at_end_ ? nullptr : packet_.get(); }
  void Next();

 private:
  AVFormatContext* format_ = nullptr;
  PacketPtr packet_;
  int index_ = -1;
  bool at_end_ = false;
};

}  // namespace skinmask
