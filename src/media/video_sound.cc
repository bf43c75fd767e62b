#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/folder.h"
#include "media/video_input.h"
#include "media/video_output.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

// True if this sound can be stored in the container, and read again.
bool TakesSound(const AVOutputFormat& container, const AVCodecParameters& sound) {
  constexpr AVCodecID kOfMpeg[] = {AV_CODEC_ID_MP2, AV_CODEC_ID_MP3, AV_CODEC_ID_AC3,
                                   AV_CODEC_ID_DTS};
  constexpr AVCodecID kOfTransport[] = {AV_CODEC_ID_AAC, AV_CODEC_ID_EAC3, AV_CODEC_ID_OPUS};
  constexpr AVCodecID kOfOgg[] = {AV_CODEC_ID_VORBIS, AV_CODEC_ID_OPUS, AV_CODEC_ID_FLAC,
                                  AV_CODEC_ID_SPEEX};
  const Ffmpeg& av = Ffmpeg::Get();
  const AVCodecID codec = sound.codec_id;
  // Matroska also takes the codecs of WAVE and AVI, which FFmpeg does not tell. (That of Flash
  // needs blocks of one size.)
  const AVCodecTag* const of_wave[] = {av.avformat_get_riff_audio_tags(), nullptr};
  if (container.name == std::string_view("matroska") && av.av_codec_get_tag(of_wave, codec) != 0)
    return codec != AV_CODEC_ID_ADPCM_SWF || sound.block_align > 0;
  const std::string_view name = container.name;
  if (name == "ogg" || name == "ogv") return std::ranges::count(kOfOgg, codec) > 0;
  if (!IsMpegStream(name))
    return av.avformat_query_codec(&container, codec, FF_COMPLIANCE_NORMAL) == 1;
  return std::ranges::count(kOfMpeg, codec) > 0 ||
         (name == "mpegts" && std::ranges::count(kOfTransport, codec) > 0);
}

// Removes the encoder's padding at the start, which players skip, because a part of the sound does
// not have it.
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
  if (!TakesSound(*output->oformat, *from().codecpar))
    throw Error(output->oformat->name, fmt::format("holds no {}", codec_name()));
  stream_ = av.avformat_new_stream(output, nullptr);
  av.avcodec_parameters_copy(stream_->codecpar, from().codecpar);
  stream_->codecpar->codec_tag = 0;  // tags differ between containers
  if (output->oformat->name == std::string_view("avi")) {
    stream_->codecpar->frame_size = SamplesOfPacket();
    // Where packets differ in size, the muxer would take it for the size of all. (Packets of PCM
    // and ADPCM have several blocks.)
    int& block = stream_->codecpar->block_align;
    const bool has_blocks = stream_->codecpar->codec_id < AV_CODEC_ID_AMR_NB;
    if (!has_blocks && packet_->size != block) block = 0;
  }
  stream_->time_base = from().time_base;
  if (whole_) return;
  start_ = av.av_rescale_q(*sound.start, AvOf(sound.time_base), from().time_base);
  ForgetPadding(*stream_->codecpar);
}

// AVI counts packets of one length, which FFmpeg knows from decoders, and no decoder of sound runs.
// 0 for PCM, whose samples it counts. Throws Error if the length is unknown, or packets differ.
int SoundCopy::SamplesOfPacket() const {
  constexpr AVCodecID kVarying[] = {AV_CODEC_ID_VORBIS, AV_CODEC_ID_SPEEX, AV_CODEC_ID_EAC3,
                                    AV_CODEC_ID_ADPCM_G726, AV_CODEC_ID_ADPCM_G726LE};
  constexpr int kAacLc = 2, kOfAacLc = 1024;
  const Ffmpeg& av = Ffmpeg::Get();
  AVCodecParameters& sound = *from().codecpar;
  if (sound.codec_id < AV_CODEC_ID_ADPCM_IMA_QT) return 0;  // PCM
  const AVRational unit = from().time_base;
  const bool is_exact = std::int64_t{sound.sample_rate} * unit.num <= unit.den;
  const bool is_counted = input_->iformat->name == std::string_view("avi");
  const bool is_lc = sound.codec_id == AV_CODEC_ID_AAC && sound.extradata_size > 0 &&
                     sound.extradata[0] >> 3 == kAacLc;
  int samples = is_lc ? kOfAacLc
                      : av.av_get_audio_frame_duration2(
                            &sound, sound.block_align > 0 ? sound.block_align : packet_->size);
  if (samples == 0 && (is_exact || is_counted))
    samples = static_cast<int>(
        av.av_rescale_q(is_counted ? 1 : packet_->duration, unit, {1, sound.sample_rate}));
  if (samples <= 0 || std::ranges::count(kVarying, sound.codec_id) > 0)
    throw Error("avi", fmt::format("wants packets of one known length, and those of {} are not",
                                   codec_name()));
  return samples;
}

void SoundCopy::Open(const std::string& path) {
  if (Exists(path) && !IsRegularFile(path)) throw Error(path, "cannot be read a second time");
  const Ffmpeg& av = Ffmpeg::Get();
  int result = OpenFile(input_, "file:" + path);
  if (result >= 0) result = FindStreamInfo(input_.get(), VideoOpenOptions().max_pixels);
  if (result >= 0)
    result = index_ = av.av_find_best_stream(input_.get(), AVMEDIA_TYPE_AUDIO, -1, -1, nullptr, 0);
  const auto is_sound = [](const AVStream* stream) {
    return stream->codecpar->codec_type == AVMEDIA_TYPE_AUDIO;
  };
  if (result == AVERROR_STREAM_NOT_FOUND &&
      std::any_of(input_->streams, input_->streams + input_->nb_streams, is_sound))
    throw Error(path,
                "does not state the sampling rate of its sound before the data (a copy by ffmpeg "
                "-c copy to an .mp4 does)");
  if (result < 0) throw Error(path, "has no sound that can be read: " + av.Message(result));
  DiscardOthers(input_.get(), index_);
  ReadPacket();
  const bool is_empty = at_end_;
  while (!at_end_ && packet_->dts == AV_NOPTS_VALUE) ReadPacket();
  if (at_end_ && !is_empty) throw Error(path, "has sound without times");
}

// True for sound that the file has and does not play, as where it was cut without a new encoding.
// The packet before the one that reaches 0 stays, because a decoder needs it to begin.
bool SoundCopy::IsHidden(const AVPacket& packet) const {
  return (packet.flags & AV_PKT_FLAG_DISCARD) && packet.pts != AV_NOPTS_VALUE &&
         packet.pts + 2 * packet.duration <= 0;
}

// Unreadable data count as the end; the damage of the file is reported with the pictures.
void SoundCopy::ReadPacket() {
  const Ffmpeg& av = Ffmpeg::Get();
  do {
    av.av_packet_unref(packet_.get());
    at_end_ = at_end_ || av.av_read_frame(input_.get(), packet_.get()) < 0;
  } while (!at_end_ && (packet_->stream_index != index_ || IsHidden(*packet_)));
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
    if (time == AV_NOPTS_VALUE || time < last_ || (!whole_ && packet->pts < start_)) continue;
    if (SecondsOf(packet->pts - start_, base) >= end) return 0;
    // MP4 does not play the last packet if that has no duration.
    if (packet->duration == 0 && written_ != AV_NOPTS_VALUE) packet->duration = time - last_;
    last_ = time;
    packet->pts -= start_;
    packet->dts -= start_;
    av.av_packet_rescale_ts(packet, base, stream_->time_base);
    // Packets that are shorter than a unit of time may have equal times.
    if (!(output_->oformat->flags & AVFMT_TS_NONSTRICT))
      packet->dts = std::max(packet->dts, written_ + 1);
    packet->pts = std::max(packet->pts, packet->dts);
    written_ = packet->dts;
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
