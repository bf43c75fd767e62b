#include "media/sound.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "media/video_input.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

double SecondsOf(std::int64_t time, AVRational base) {
  return static_cast<double>(time) * base.num / base.den;
}

// What encoders put before the sound, and players leave out, is not in a part of it.
void ForgetPadding(AVCodecParameters& codec) {
  constexpr int kPreSkip = 10;  // two bytes of OpusHead (RFC 7845)
  codec.initial_padding = 0;
  if (codec.codec_id != AV_CODEC_ID_OPUS || codec.extradata_size < kPreSkip + 2) return;
  codec.extradata[kPreSkip] = codec.extradata[kPreSkip + 1] = 0;
}

}  // namespace

SoundCopy::SoundCopy(const VideoSound& sound, AVFormatContext* output)
    : output_(output), packet_(Ffmpeg::Get().av_packet_alloc()), whole_(!sound.start) {
  const Ffmpeg& av = Ffmpeg::Get();
  Open(sound.file.string());
  if (av.avformat_query_codec(output->oformat, from().codecpar->codec_id, FF_COMPLIANCE_NORMAL) !=
      1)
    throw Error(output->oformat->name, fmt::format("holds no {}", codec_name()));
  stream_ = av.avformat_new_stream(output, nullptr);
  av.avcodec_parameters_copy(stream_->codecpar, from().codecpar);
  stream_->codecpar->codec_tag = 0;  // those of the containers differ
  stream_->time_base = from().time_base;
  if (whole_) return;
  start_ =
      av.av_rescale_q(*sound.start, {sound.time_base.num, sound.time_base.den}, from().time_base);
  ForgetPadding(*stream_->codecpar);
}

void SoundCopy::Open(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    throw Error("a pipe", "cannot be read a second time");
  const Ffmpeg& av = Ffmpeg::Get();
  int result = 0;
  input_ = OpenFile("file:" + path, result);
  if (result >= 0) result = FindStreamInfo(input_.get(), VideoOpenOptions().max_pixels);
  if (result >= 0)
    result = index_ = av.av_find_best_stream(input_.get(), AVMEDIA_TYPE_AUDIO, -1, -1, nullptr, 0);
  if (result < 0) throw Error("its sound", "cannot be read: " + av.Message(result));
  DiscardOthers(input_.get(), index_);
  ReadPacket();
}

// What cannot be read is the end: that the file is damaged, its pictures tell.
void SoundCopy::ReadPacket() {
  const Ffmpeg& av = Ffmpeg::Get();
  do {
    av.av_packet_unref(packet_.get());
    at_end_ = at_end_ || av.av_read_frame(input_.get(), packet_.get()) < 0;
  } while (!at_end_ && packet_->stream_index != index_);
  if (at_end_) return;
  if (packet_->dts == AV_NOPTS_VALUE) packet_->dts = packet_->pts;
  if (packet_->pts == AV_NOPTS_VALUE) packet_->pts = packet_->dts;
}

int SoundCopy::WriteUntil(double end) {
  const Ffmpeg& av = Ffmpeg::Get();
  const AVRational base = from().time_base;
  for (; problem_.empty() && !at_end_; ReadPacket()) {
    AVPacket* const packet = packet_.get();
    const std::int64_t time = packet->dts;
    if (time == AV_NOPTS_VALUE || time <= last_ || (!whole_ && packet->pts < start_)) continue;
    if (SecondsOf(packet->pts - start_, base) >= end) return 0;
    last_ = time;
    packet->pts -= start_;
    packet->dts -= start_;
    av.av_packet_rescale_ts(packet, base, stream_->time_base);
    packet->stream_index = stream_->index;
    packet->pos = -1;
    const int result = av.av_interleaved_write_frame(output_, packet);
    if (result == AVERROR_INVALIDDATA || result == AVERROR(EINVAL))
      problem_ =
          fmt::format("its sound ends at {:.6g} s: {}", SecondsOf(time, base), av.Message(result));
    else if (result < 0)
      return result;
  }
  return 0;
}

}  // namespace skinmask
