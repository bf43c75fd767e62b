// Sound beside the pictures of a file that is written.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "media/ffmpeg.h"
#include "media/sound_track.h"
#include "skinmask/media/video.h"

namespace skinmask {

// Copies the sound of one file into another, packet by packet.
class SoundCopy {
 public:
  // Adds a stream to `output`, whose header is not yet written. Throws Error where there is no
  // sound that can be read, or the container does not hold it.
  SoundCopy(const VideoSound& sound, AVFormatContext* output);

  // Writes what begins before `end`, in seconds of the output, as far as it is not written. A
  // negative value of FFmpeg's where the file cannot be written.
  int WriteUntil(double end);

  const char* codec_name() const {
    return Ffmpeg::Get().avcodec_get_name(track_.stream().codecpar->codec_id);
  }
  // Why it ends before its time; empty: it does not.
  const std::string& problem() const { return problem_; }

 private:
  SoundTrack track_;
  AVFormatContext* const output_;
  AVStream* stream_ = nullptr;
  const bool whole_;
  std::int64_t start_ = 0;  // that becomes 0, in the track's time base
  std::int64_t last_ = std::numeric_limits<std::int64_t>::min();
  std::string problem_;
};

}  // namespace skinmask
