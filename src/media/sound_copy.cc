#include "media/sound_copy.h"

#include <fmt/format.h>

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
    : track_(sound.file.string()), output_(output), whole_(!sound.start) {
  const Ffmpeg& av = Ffmpeg::Get();
  const AVStream& from = track_.stream();
  if (av.avformat_query_codec(output->oformat, from.codecpar->codec_id, FF_COMPLIANCE_NORMAL) != 1)
    throw Error(output->oformat->name, fmt::format("holds no {}", codec_name()));
  stream_ = av.avformat_new_stream(output, nullptr);
  av.avcodec_parameters_copy(stream_->codecpar, from.codecpar);
  stream_->codecpar->codec_tag = 0;  // those of the containers differ
  stream_->time_base = from.time_base;
  if (whole_) return;
  start_ =
      av.av_rescale_q(*sound.start, {sound.time_base.num, sound.time_base.den}, from.time_base);
  ForgetPadding(*stream_->codecpar);
}

int SoundCopy::WriteUntil(double end) {
  const Ffmpeg& av = Ffmpeg::Get();
  const AVRational base = track_.stream().time_base;
  for (; problem_.empty(); track_.Next()) {
    AVPacket* const packet = track_.packet();
    if (!packet) return 0;
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
