// Encoders of a written video, with the settings of this project; what containers hold, where
// FFmpeg does not say it; and the sound, which is a copy of that of another file (video_sound.cc).
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "media/ffmpeg.h"
#include "skinmask/media/video.h"

namespace skinmask {

// Opens FFmpeg's encoder of this name or, for the name of a codec (vp9, h264, ...), its first
// encoder, for pictures of `size` with the pixel format `source`. Its output is the same on every
// run. Throws Error if there is no such encoder, or if it does not support the transparency or the
// more than 8 bits of `source`.
CodecPtr OpenEncoder(const std::string& name, const cv::Size& size, AVPixelFormat source,
                     const VideoWriteOptions& options, const AVOutputFormat& container);

// True for MPEG program and transport streams, which hold codecs of many kinds.
bool IsMpegStream(std::string_view container);

// FFmpeg's name of the codec for pictures in this container, if none is asked for.
std::string CodecFor(const AVOutputFormat& container);

// True if the container has a rate, and no times of pictures.
bool StoresNoTimes(const AVOutputFormat& container);

// True if the container or codec has at most frame counts as times: AVI and the MPEG codecs have a
// fixed rate, MPEG-4 has few time units, and Theora and Ogg count them for each frame. VC-2 gives
// each time unit a share of its bits. A bare H.264 stream states a rate, and no times; in a program
// stream only some pictures have their own.
bool CountsFrames(std::string_view container, std::string_view codec);

inline AVRational AvOf(Rational r) { return {r.num, r.den}; }

inline double SecondsOf(std::int64_t time, AVRational base) {
  return static_cast<double>(time) * base.num / base.den;
}

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
