// The sound of a written video, which is a copy of that of another file.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "media/ffmpeg.h"
#include "skinmask/media/video.h"

namespace skinmask {

// Copies the sound of one file into another, packet by packet in the stored order, without
// decoding. Of several streams the one that players choose is copied.
class SoundCopy {
 public:
  // Adds a stream to `output`, whose header must not be written yet. Throws Error if the file has
  // no sound that can be read a second time, or if the container cannot hold it.
  SoundCopy(const VideoSound& sound, AVFormatContext* output);

  // Writes the remaining packets that begin before `end`, in seconds of the output. Returns a
  // negative error code of FFmpeg if the file cannot be written.
  int WriteUntil(double end);

  const char* codec_name() const {
    return Ffmpeg::Get().avcodec_get_name(from().codecpar->codec_id);
  }
  // Why the sound ends early; empty if it does not.
  const std::string& problem() const { return problem_; }

 private:
  void Open(const std::string& path);
  void ReadPacket();
  int SamplesOfPacket() const;
  bool IsHidden(const AVPacket& packet) const;
  const AVStream& from() const { return *input_->streams[index_]; }

  AVFormatContext* const output_;
  AVStream* stream_ = nullptr;
  InputPtr input_;
  int index_ = -1;
  // The next packet to write, in the time base of its input.
  PacketPtr packet_;
  bool at_end_ = false;
  const bool whole_;
  // The timestamp that becomes 0, in the time base of the input.
  std::int64_t start_ = 0;
  std::int64_t last_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t written_ = AV_NOPTS_VALUE;  // the last one, in the time base of the output
  std::string problem_;
};

}  // namespace skinmask
