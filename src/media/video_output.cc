#include "media/video_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "base/nearest.h"
#include "media/picture_type.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

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
    if ((!IsTransparent(source) || IsTransparent(*f)) && (!IsDeep(source) || *f == source) &&
        !(Described(*f).flags & AV_PIX_FMT_FLAG_PAL))
      formats.push_back(*f);
  if (!formats.empty()) return formats;
  throw Error(encoder.name,
              IsDeep(source)          ? "does not store grey of 16 bits (ffv1 in Matroska does)"
              : IsTransparent(source) ? "stores no transparency (libvpx-vp9, prores_ks and ffv1 do)"
                                      : "stores palettes alone (libx264 and ffv1 store pictures)");
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

// True if the file says which matrix its YUV has. (Readers ignore what Matroska says of VP8 and of
// Motion JPEG.)
bool StoresMatrix(const AVOutputFormat& container, AVCodecID codec) {
  constexpr AVCodecID kOwn[] = {AV_CODEC_ID_H264, AV_CODEC_ID_HEVC,       AV_CODEC_ID_AV1,
                                AV_CODEC_ID_VP9,  AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_PRORES};
  constexpr AVCodecID kFixed[] = {AV_CODEC_ID_VP8, AV_CODEC_ID_MJPEG};
  constexpr std::string_view kTagging[] = {"matroska", "webm", "mov", "mp4"};
  return std::ranges::count(kOwn, codec) > 0 ||
         (std::ranges::count(kFixed, codec) == 0 &&
          std::ranges::count(kTagging, std::string_view(container.name)) > 0);
}

// Sets the colour tags of the encoder: BT.709, or BT.601 where readers assume that, because nothing
// is stored; and full range if the pixel format has it.
void TagColors(AVCodecContext& codec, bool stores_matrix) {
  if (Described(codec.pix_fmt).flags & AV_PIX_FMT_FLAG_RGB) return;
  const bool full = codec.pix_fmt == AV_PIX_FMT_YUVJ420P || codec.pix_fmt == AV_PIX_FMT_GRAY8 ||
                    codec.pix_fmt == AV_PIX_FMT_GRAY16;
  codec.color_range = full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
  codec.colorspace = stores_matrix ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M;
  codec.color_primaries = stores_matrix ? AVCOL_PRI_BT709 : AVCOL_PRI_SMPTE170M;
  codec.color_trc = stores_matrix ? AVCOL_TRC_BT709 : AVCOL_TRC_SMPTE170M;
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

// The quantizer for a quality, of encoders that would otherwise spend 200 kbit/s at any size;
// absent for others. MPEG's is best at 1, Theora's at 10.
std::optional<double> QuantizerOf(const std::string& encoder, int quality) {
  constexpr std::string_view kOfMpeg[] = {"mpeg4", "libxvid", "mpeg1video", "mpeg2video",
                                          "mjpeg", "flv",     "h263",       "h263p",
                                          "wmv1",  "wmv2",    "msmpeg4",    "msmpeg4v2"};
  constexpr double kOfEach = 0.1;  // as much as of kRateFactors, where 6 double the quantizer
  if (encoder == "libtheora") return std::clamp(9 + kOfEach * (quality - 90), 0., 10.);
  if (std::ranges::count(kOfMpeg, encoder) == 0) return std::nullopt;
  return std::clamp(2 * std::exp2(kOfEach * (90 - quality)), 1., 31.);
}

// Sets the options, because the defaults of encoders target a given bit rate or are slow.
void SetQuality(AVCodecContext& codec, const std::string& encoder,
                const VideoWriteOptions& options) {
  const auto set = [&](const char* key, const char* value) {
    Ffmpeg::Get().av_opt_set(codec.priv_data, key, value, 0);
  };
  constexpr int kUsual = 90;
  if (options.quality) RequireQuality(*options.quality);
  const int quality = options.quality.value_or(kUsual);
  const std::string factor = RateFactorOf(encoder, quality);
  const std::optional<double> quantizer = QuantizerOf(encoder, quality);
  if (options.quality && factor.empty() && !quantizer)
    throw Error(encoder == "wrapped_avframe" ? "YUV4MPEG" : encoder,
                "takes no `quality` (libx264, libx265, libvpx, libvpx-vp9, libaom-av1, libsvtav1, "
                "mpeg4, mjpeg and libtheora do, and others)");
  if (quantizer) {
    codec.flags |= AV_CODEC_FLAG_QSCALE;
    codec.global_quality = static_cast<int>(std::lround(FF_QP2LAMBDA * *quantizer));
  }
  if (!factor.empty()) set("crf", factor.c_str());
  if (encoder == "hap" && IsTransparent(codec.pix_fmt)) set("format", "hap_alpha");
  if (encoder.starts_with("libx264")) {
    set("x264-params", X264Params().c_str());
    set("preset", options.live ? "ultrafast" : "veryfast");
  } else if (encoder == "libx265") {
    set("preset", "veryfast");
    set("x265-params", "log-level=none");
  } else if (encoder == "libaom-av1" || encoder == "libsvtav1") {
    codec.bit_rate = 0;  // constant quality
    set(encoder == "libsvtav1" ? "preset" : "cpu-used", "8");
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
    set("cpu-used", "4");
    set("auto-alt-ref", "0");  // does not work with transparency
  }
}

}  // namespace

bool IsMpegStream(std::string_view container) {
  constexpr std::string_view kNames[] = {"mpegts", "mpeg", "vob", "svcd", "dvd"};
  return std::ranges::count(kNames, container) > 0;
}

std::string CodecFor(const AVOutputFormat& container) {
  const std::string_view name = container.name;
  if (name == "matroska") return "ffv1";
  if (name == "webm") return "libvpx-vp9";  // WebM does not hold H.264
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
  return container == "yuv4mpegpipe" || container == "rawvideo" || container == "avi" ||
         container == "h264" || container.starts_with("ogg") || container == "ogv" ||
         (IsMpegStream(container) && container != "mpegts") || codec.starts_with("mpeg") ||
         codec.ends_with("theora") || codec == "vc2" || codec == "dirac";
}

void RequireVideoEncoder(const std::string& name) { EncoderOf(name); }

CodecPtr OpenEncoder(const std::string& name, const cv::Size& size, AVPixelFormat source,
                     const VideoWriteOptions& options, const AVOutputFormat& container) {
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
  TagColors(*codec, StoresMatrix(container, encoder.id));
  codec->thread_count = 0;
  codec->flags |= AV_CODEC_FLAG_BITEXACT;  // no names of libraries
  // AVI has no times of display, and pictures in another order would be late beside the sound. MP4
  // loses pictures whose times of decoding and of display are hours apart.
  constexpr double kSlow = 1. / 600;  // frames a second
  if (container.name == std::string_view("avi") || options.rate.Value() < kSlow)
    codec->max_b_frames = 0;
  if (container.flags & AVFMT_GLOBALHEADER) codec->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  SetQuality(*codec, encoder.name, options);
  if (const int result = av.avcodec_open2(codec.get(), &encoder, nullptr); result < 0)
    throw Error(encoder.name,
                fmt::format("does not take {} x {} pixels at {}/{} frames a second: {}", size.width,
                            size.height, options.rate.num, options.rate.den, av.Message(result)));
  return codec;
}

}  // namespace skinmask
