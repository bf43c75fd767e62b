// What a video that is written has: pictures, by encoders that are set for what this project
// writes, and beside them the sound of another file, as it is stored there.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "media/ffmpeg.h"
#include "skinmask/media/video.h"

namespace skinmask {

// The encoder that FFmpeg calls so, or (vp9, h264, ...) its first one for the codec of that name,
// for pictures of `size` with pixels as in `source`. It is the same on every run. Throws Error:
// there is none, or it does not take what makes `source` up: transparency, more than 8 bits.
CodecPtr OpenEncoder(const std::string& name, const cv::Size& size, AVPixelFormat source,
                     const VideoWriteOptions& options, bool global_header);

inline AVRational AvOf(Rational r) { return {r.num, r.den}; }

inline double SecondsOf(std::int64_t time, AVRational base) {
  return static_cast<double>(time) * base.num / base.den;
}

// Copies the sound of one file into another, packet by packet, in the order in which they are
// stored; of several streams the one that players take. Nothing is decoded.
class SoundCopy {
 public:
  // Adds a stream to `output`, whose header is not yet written. Throws Error where there is no
  // sound that can be read a second time, or the container does not hold it.
  SoundCopy(const VideoSound& sound, AVFormatContext* output);

  // Writes what begins before `end`, in seconds of the output, as far as it is not written. A
  // negative value of FFmpeg's where the file cannot be written.
  int WriteUntil(double end);

  const char* codec_name() const {
    return Ffmpeg::Get().avcodec_get_name(from().codecpar->codec_id);
  }
  // Why it ends before its time; empty: it does not.
  const std::string& problem() const { return problem_; }

 private:
  void Open(const std::string& path);
  void ReadPacket();
  const AVStream& from() const { return *input_->streams[index_]; }

  AVFormatContext* const output_;
  AVStream* stream_ = nullptr;
  InputPtr input_;
  int index_ = -1;
  PacketPtr packet_;  // the next one to write, in the time base of its input
  bool at_end_ = false;
  const bool whole_;
  std::int64_t start_ = 0;  // that becomes 0, in the input's time base
  std::int64_t last_ = std::numeric_limits<std::int64_t>::min();
  std::string problem_;
};

}  // namespace skinmask
