#include "media/video_output.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/nearest.h"
#include "media/picture_type.h"
#include "media/video_input.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

// MPEG program and transport streams, which hold codecs of many kinds.
bool IsMpegStream(std::string_view container) {
  constexpr std::string_view kNames[] = {"mpegts", "mpeg", "vob", "svcd", "dvd"};
  return std::ranges::count(kNames, container) > 0;
}

// True if this sound can be stored in the container, and read again.
bool TakesSound(const AVOutputFormat& container, const AVCodecParameters& sound) {
  constexpr AVCodecID kOfMpeg[] = {AV_CODEC_ID_MP2, AV_CODEC_ID_MP3, AV_CODEC_ID_AC3,
                                   AV_CODEC_ID_DTS};
  constexpr AVCodecID kOfTransport[] = {AV_CODEC_ID_AAC, AV_CODEC_ID_EAC3, AV_CODEC_ID_OPUS};
  const Ffmpeg& av = Ffmpeg::Get();
  const AVCodecID codec = sound.codec_id;
  // Matroska also takes the codecs of WAVE and AVI, which FFmpeg does not tell. (That of Flash
  // needs blocks of one size.)
  const AVCodecTag* const of_wave[] = {av.avformat_get_riff_audio_tags(), nullptr};
  if (container.name == std::string_view("matroska") && av.av_codec_get_tag(of_wave, codec) != 0)
    return codec != AV_CODEC_ID_ADPCM_SWF || sound.block_align > 0;
  if (!IsMpegStream(container.name))
    return av.avformat_query_codec(&container, codec, FF_COMPLIANCE_NORMAL) == 1;
  return std::ranges::count(kOfMpeg, codec) > 0 || (container.name == std::string_view("mpegts") &&
                                                    std::ranges::count(kOfTransport, codec) > 0);
}

const AVPixFmtDescriptor& Described(AVPixelFormat format) {
  return *Ffmpeg::Get().av_pix_fmt_desc_get(format);
}

bool IsTransparent(AVPixelFormat format) {
  const std::uint64_t flags = Described(format).flags;
  return (flags & AV_PIX_FMT_FLAG_ALPHA) && !(flags & AV_PIX_FMT_FLAG_PAL);
}

bool IsDeep(AVPixelFormat format) { return Described(format).comp[0].depth > 8; }

std::vector<std::string> VideoEncoders() {
  const Ffmpeg& av = Ffmpeg::Get();
  std::vector<std::string> names;
  void* state = nullptr;
  while (const AVCodec* codec = av.av_codec_iterate(&state))
    if (codec->type == AVMEDIA_TYPE_VIDEO && av.av_codec_is_encoder(codec))
      names.insert(names.end(), {codec->name, av.avcodec_get_name(codec->id)});
  return names;
}

const AVCodec& EncoderOf(const std::string& name) {
  const Ffmpeg& av = Ffmpeg::Get();
  const AVCodec* encoder = av.avcodec_find_encoder_by_name(name.c_str());
  const AVCodecDescriptor* const codec = av.avcodec_descriptor_get_by_name(name.c_str());
  if (!encoder && codec) encoder = av.avcodec_find_encoder(codec->id);
  if (!encoder || encoder->type != AVMEDIA_TYPE_VIDEO)
    throw Error(name, fmt::format("is no video encoder that FFmpeg has here ({}ffmpeg -encoders "
                                  "lists them with V)",
                                  DidYouMean(name, VideoEncoders())));
  return *encoder;
}

// The encoder's formats that keep the transparency and the 16 bits of `source`.
std::vector<AVPixelFormat> FormatsFor(const AVCodec& encoder, const AVPixelFormat* its_own,
                                      AVPixelFormat source) {
  std::vector<AVPixelFormat> formats;
  for (const AVPixelFormat* f = its_own; *f != AV_PIX_FMT_NONE; ++f)
    if ((!IsTransparent(source) || IsTransparent(*f)) && (!IsDeep(source) || *f == source))
      formats.push_back(*f);
  if (!formats.empty()) return formats;
  throw Error(encoder.name, IsDeep(source)
                                ? "does not store grey of 16 bits (ffv1 does)"
                                : "stores no transparency (libvpx-vp9, prores_ks and ffv1 do)");
}

// The pixel format for the encoder: for a lossless one the format that loses least, for others the
// format that players expect.
AVPixelFormat FormatFor(const AVCodec& encoder, AVPixelFormat source) {
  const Ffmpeg& av = Ffmpeg::Get();
  if (encoder.id == AV_CODEC_ID_WRAPPED_AVFRAME) {  // used for YUV4MPEG
    if (IsTransparent(source) || IsDeep(source))
      throw Error("YUV4MPEG", "holds 8 bits and no transparency (rawvideo and matroska do)");
    return source == AV_PIX_FMT_GRAY8 ? source : AV_PIX_FMT_YUV420P;
  }
  const AVPixelFormat* const its_own = av.PixelFormatsOf(encoder);
  if (!its_own) return source;
  std::vector<AVPixelFormat> formats = FormatsFor(encoder, its_own, source);
  const AVCodecDescriptor* const codec = av.avcodec_descriptor_get(encoder.id);
  const bool lossless =
      codec && (codec->props & AV_CODEC_PROP_LOSSLESS) && !(codec->props & AV_CODEC_PROP_LOSSY);
  if (!lossless && !IsTransparent(source))
    for (const AVPixelFormat format : formats)
      if (format == AV_PIX_FMT_YUV420P || format == AV_PIX_FMT_YUVJ420P) return format;
  formats.push_back(AV_PIX_FMT_NONE);
  return av.avcodec_find_best_pix_fmt_of_list(formats.data(), source, IsTransparent(source),
                                              nullptr);
}

// Sets the colour tags of the encoder: BT.709, and full range if the pixel format has it.
void TagColors(AVCodecContext& codec) {
  if (Described(codec.pix_fmt).flags & AV_PIX_FMT_FLAG_RGB) return;
  const bool full = codec.pix_fmt == AV_PIX_FMT_YUVJ420P || codec.pix_fmt == AV_PIX_FMT_GRAY8 ||
                    codec.pix_fmt == AV_PIX_FMT_GRAY16;
  codec.color_range = full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
  codec.colorspace = AVCOL_SPC_BT709;
  codec.color_primaries = AVCOL_PRI_BT709;
  codec.color_trc = AVCOL_TRC_BT709;
}

// The parameter that limits x264's instruction sets, or empty. x264's AVX-512 routine for mbtree
// reads uninitialised memory if a row of macroblocks is not a multiple of 8 (x264 164): in 1 of 20
// runs the same pictures gave a different stream. With AVX2 the stream equals that of all lower
// instruction sets down to SSSE3. (It still depends on the number of cores.)
std::string X264Params() {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx512f")) return "asm=avx2";
#endif
  return {};
}

// Encoders with a constant rate factor: the factor for quality 90, and its range.
struct RateFactor {
  std::string_view encoder;
  int usual, least, most;
};
constexpr RateFactor kRateFactors[] = {{"libx264", 18, 0, 51},    {"libx264rgb", 18, 0, 51},
                                       {"libx265", 20, 0, 51},    {"libvpx", 8, 4, 63},
                                       {"libvpx-vp9", 18, 0, 63}, {"libaom-av1", 20, 0, 63},
                                       {"libsvtav1", 25, 1, 63}};

// The rate factor for a quality; empty for an encoder without one.
std::string RateFactorOf(const std::string& encoder, int quality) {
  constexpr double kOfEach = 0.6;  // change for one step of quality, similar to that of JPEG
  const auto* const found = std::ranges::find(kRateFactors, encoder, &RateFactor::encoder);
  if (found == std::end(kRateFactors)) return {};
  const auto factor = found->usual + static_cast<int>(std::lround(kOfEach * (90 - quality)));
  return std::to_string(std::clamp(factor, found->least, found->most));
}

// Sets the options, because the defaults of encoders target a given bit rate or are slow.
void SetQuality(AVCodecContext& codec, const std::string& encoder,
                const VideoWriteOptions& options) {
  const auto set = [&](const char* key, const char* value) {
    Ffmpeg::Get().av_opt_set(codec.priv_data, key, value, 0);
  };
  constexpr int kUsual = 90;
  if (options.quality) RequireQuality(*options.quality);
  const std::string factor = RateFactorOf(encoder, options.quality.value_or(kUsual));
  if (options.quality && factor.empty())
    throw Error(encoder,
                "takes no `quality` (libx264, libx265, libvpx, libvpx-vp9, libaom-av1 and "
                "libsvtav1 do)");
  if (encoder == "hap" && IsTransparent(codec.pix_fmt)) set("format", "hap_alpha");
  if (encoder.starts_with("libx264")) {
    set("x264-params", X264Params().c_str());
    set("preset", options.live ? "ultrafast" : "veryfast");
    set("crf", factor.c_str());
  } else if (encoder == "libx265") {
    set("preset", "veryfast");
    set("x265-params", "log-level=none");
    set("crf", factor.c_str());
  } else if (encoder == "libaom-av1" || encoder == "libsvtav1") {
    codec.bit_rate = 0;  // constant quality
    set(encoder == "libsvtav1" ? "preset" : "cpu-used", "8");
    set("crf", factor.c_str());
  } else if (encoder == "ffv1") {
    // Version 3 has slices with checksums. In pictures of one or two rows or columns some slices
    // would be empty, and their pixels would be lost.
    constexpr int kFewest = 3;
    codec.level = std::min(codec.width, codec.height) < kFewest ? 1 : 3;
    // A key frame for each second, so that players can seek. (With key frames only, each would need
    // an entry in the index.)
    codec.gop_size = std::max(1, static_cast<int>(std::lround(options.rate.Value())));
  } else if (encoder.starts_with("libvpx")) {
    constexpr std::int64_t kNoLimit = 1'000'000'000;  // VP8 needs a bit rate beside its quality
    const bool vp9 = encoder == "libvpx-vp9";
    codec.bit_rate = vp9 ? 0 : kNoLimit;  // constant quality
    set("crf", factor.c_str());
    set("cpu-used", "4");
    set("auto-alt-ref", "0");  // does not work with transparency
  }
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

std::string CodecFor(const AVOutputFormat& container) {
  const std::string_view name = container.name;
  if (name == "matroska") return "ffv1";
  if (name == "webm") return "libvpx-vp9";  // WebM does not hold H.264
  if (name == "yuv4mpegpipe") return "wrapped_avframe";
  if (name == "rawvideo") return "rawvideo";
  // FFmpeg does not know what MPEG streams hold. Other containers of which it does not know whether
  // they hold H.264 are of one codec, or refuse it (Ogg, MXF).
  const Ffmpeg& av = Ffmpeg::Get();
  const bool h264 = IsMpegStream(name) || av.avformat_query_codec(&container, AV_CODEC_ID_H264,
                                                                  FF_COMPLIANCE_NORMAL) == 1;
  return h264 || container.video_codec == AV_CODEC_ID_NONE
             ? "libx264"
             : av.avcodec_get_name(container.video_codec);
}

bool StoresNoTimes(const AVOutputFormat& container) {
  const std::string_view name = container.name;
  return name == "yuv4mpegpipe" || name == "rawvideo" || name == "mxf" ||
         container.flags & AVFMT_NOTIMESTAMPS;
}

bool CountsFrames(std::string_view container, std::string_view codec) {
  return container == "avi" || container == "h264" || codec.starts_with("mpeg") ||
         codec.ends_with("theora") || codec == "vc2" || codec == "dirac";
}

void RequireVideoEncoder(const std::string& name) { EncoderOf(name); }

CodecPtr OpenEncoder(const std::string& name, const cv::Size& size, AVPixelFormat source,
                     const VideoWriteOptions& options, bool global_header) {
  const Ffmpeg& av = Ffmpeg::Get();
  const AVCodec& encoder = EncoderOf(name);
  const AVPixelFormat format = FormatFor(encoder, source);
  const bool has_pairs = Described(format).log2_chroma_w > 0 || Described(format).log2_chroma_h > 0;
  const std::string_view of_pairs[] = {"prores", "prores_aw"};  // whatever their format
  const int unit = has_pairs || std::ranges::count(of_pairs, encoder.name) > 0 ? 2 : 1;
  CodecPtr codec(av.avcodec_alloc_context3(&encoder));
  codec->pix_fmt = format;
  codec->width = (size.width + unit - 1) / unit * unit;
  codec->height = (size.height + unit - 1) / unit * unit;
  codec->framerate = AvOf(options.rate);
  codec->time_base = options.time_base.num > 0 ? AvOf(options.time_base)
                                               : AVRational{options.rate.den, options.rate.num};
  codec->sample_aspect_ratio = AvOf(options.pixel_aspect);
  TagColors(*codec);
  codec->thread_count = 0;
  codec->flags |= AV_CODEC_FLAG_BITEXACT;  // no names of libraries
  if (global_header) codec->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  SetQuality(*codec, encoder.name, options);
  if (const int result = av.avcodec_open2(codec.get(), &encoder, nullptr); result < 0)
    throw Error(encoder.name,
                fmt::format("does not take {} x {} pixels at {}/{} frames a second: {}", size.width,
                            size.height, options.rate.num, options.rate.den, av.Message(result)));
  return codec;
}

SoundCopy::SoundCopy(const VideoSound& sound, AVFormatContext* output)
    : output_(output), packet_(Ffmpeg::Get().av_packet_alloc()), whole_(!sound.start) {
  const Ffmpeg& av = Ffmpeg::Get();
  Open(sound.file.string());
  if (!TakesSound(*output->oformat, *from().codecpar))
    throw Error(output->oformat->name, fmt::format("holds no {}", codec_name()));
  stream_ = av.avformat_new_stream(output, nullptr);
  av.avcodec_parameters_copy(stream_->codecpar, from().codecpar);
  stream_->codecpar->codec_tag = 0;  // tags differ between containers
  stream_->time_base = from().time_base;
  if (whole_) return;
  start_ = av.av_rescale_q(*sound.start, AvOf(sound.time_base), from().time_base);
  ForgetPadding(*stream_->codecpar);
}

void SoundCopy::Open(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    throw Error("a pipe", "cannot be read a second time");
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
    throw Error("its sampling rate",
                "is not stated before the data (a copy by ffmpeg -c copy to an .mp4 states it)");
  if (result < 0) throw Error("its sound", "cannot be read: " + av.Message(result));
  DiscardOthers(input_.get(), index_);
  ReadPacket();
  const bool is_empty = at_end_;
  while (!at_end_ && packet_->dts == AV_NOPTS_VALUE) ReadPacket();
  if (at_end_ && !is_empty) throw Error("its sound", "has no times");
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
