// Access to FFmpeg's libraries, which are loaded when the first video is opened
// (docs/decisions/0012-video.md): the functions in use, the log, and owners of FFmpeg's objects.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/display.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

#include <cstdint>
#include <memory>
#include <string>

namespace skinmask {

// FFmpeg 6.0, 6.1 and 7.1 replaced the duration of frames, the functions for side data of streams
// and for the supported formats of encoders, and deprecated the old ones. DurationOf,
// DisplayMatrixOf and PixelFormatsOf hide the difference.
#define SKINMASK_SIDE_DATA_OF_CODECPAR (LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 102))
#define SKINMASK_FRAME_DURATION (LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100))
#define SKINMASK_CODEC_CONFIG (LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100))

// clang-format off
#if SKINMASK_SIDE_DATA_OF_CODECPAR
#define SKINMASK_SIDE_DATA(F) F(av_packet_side_data_get)
#else
#define SKINMASK_SIDE_DATA(F) F(av_stream_get_side_data)
#endif
#if SKINMASK_CODEC_CONFIG
#define SKINMASK_CONFIG(F) F(avcodec_get_supported_config)
#else
#define SKINMASK_CONFIG(F)
#endif
// The functions in use. A name that no header declares is an error of compilation; a name that the
// libraries lack is an Error when they are loaded.
#define SKINMASK_FFMPEG(F) \
  F(av_codec_get_tag) F(av_codec_is_encoder) F(av_codec_iterate) F(av_dict_free) F(av_dict_set) \
  F(av_display_rotation_get) F(av_find_best_stream) F(av_find_input_format) F(av_frame_alloc) \
  F(av_frame_free) F(av_frame_get_buffer) F(av_frame_make_writable) \
  F(av_get_audio_frame_duration2) F(av_get_pix_fmt) F(av_guess_frame_rate) \
  F(av_guess_sample_aspect_ratio) F(av_interleaved_write_frame) F(av_log_default_callback) \
  F(av_log_set_callback) F(av_log_set_level) F(av_opt_set) F(av_packet_alloc) F(av_packet_free) \
  F(av_packet_make_writable) F(av_packet_rescale_ts) F(av_packet_unref) F(av_pix_fmt_desc_get) \
  F(av_pix_fmt_desc_next) F(av_read_frame) F(av_rescale_q) F(av_seek_frame) F(av_shrink_packet) \
  F(av_strerror) F(av_write_trailer) F(avcodec_alloc_context3) F(avcodec_default_get_buffer2) \
  F(avcodec_descriptor_get) F(avcodec_descriptor_get_by_name) \
  F(avcodec_find_best_pix_fmt_of_list) F(avcodec_find_decoder) F(avcodec_find_encoder) \
  F(avcodec_find_encoder_by_name) F(avcodec_flush_buffers) F(avcodec_free_context) \
  F(avcodec_get_name) F(avcodec_open2) F(avcodec_parameters_copy) \
  F(avcodec_parameters_from_context) F(avcodec_parameters_to_context) F(avcodec_receive_frame) \
  F(avcodec_receive_packet) F(avcodec_send_frame) F(avcodec_send_packet) \
  F(avformat_alloc_context) F(avformat_alloc_output_context2) F(avformat_close_input) \
  F(avformat_find_stream_info) F(avformat_free_context) F(avformat_get_riff_audio_tags) \
  F(avformat_index_get_entries_count) F(avformat_index_get_entry) F(avformat_network_init) \
  F(avformat_new_stream) F(avformat_open_input) F(avformat_query_codec) F(avformat_write_header) \
  F(avio_closep) F(avio_open2) F(avio_read) F(avio_size) F(sws_freeContext) \
  F(sws_getCoefficients) F(sws_getContext) F(sws_isSupportedInput) F(sws_scale) \
  F(sws_setColorspaceDetails) SKINMASK_SIDE_DATA(F) SKINMASK_CONFIG(F)
// clang-format on

struct Ffmpeg {
#define SKINMASK_MEMBER(name) decltype(&::name) name;
  SKINMASK_FFMPEG(SKINMASK_MEMBER)
#undef SKINMASK_MEMBER

  // The first call loads the libraries. Throws Error if they are not installed.
  static const Ffmpeg& Get();
  std::string Message(int error) const;  // "Invalid data found when processing input"
  // The display matrix (nine numbers), or null.
  const std::int32_t* DisplayMatrixOf(const AVStream& stream) const;
  // How long a decoded frame is shown, in the time base of its stream; 0 if that is unknown.
  static std::int64_t DurationOf(const AVFrame& frame);
  // The pixel formats of the encoder, terminated by AV_PIX_FMT_NONE, or null for all formats.
  const AVPixelFormat* PixelFormatsOf(const AVCodec& encoder) const;

 private:
  Ffmpeg();
};

// While an object exists, it detects damage that FFmpeg reports in this thread only by its log.
// Demuxers of containers that can be entered anywhere (Matroska, FLV, Ogg, ...) skip what they
// cannot read, and decoders return incomplete pictures, without a result code or a flag, for every
// value of err_detect (docs/decisions/0025-damaged-videos.md). At most one object may exist in a
// thread.
class DamageLog {
 public:
  DamageLog();
  ~DamageLog();
  DamageLog(const DamageLog&) = delete;
  DamageLog& operator=(const DamageLog&) = delete;
  bool damage = false;
};

struct FfmpegFree {
  void operator()(AVFormatContext* input) const { Ffmpeg::Get().avformat_close_input(&input); }
  void operator()(AVFrame* frame) const { Ffmpeg::Get().av_frame_free(&frame); }
  void operator()(AVPacket* packet) const { Ffmpeg::Get().av_packet_free(&packet); }
  void operator()(AVCodecContext* codec) const { Ffmpeg::Get().avcodec_free_context(&codec); }
  void operator()(SwsContext* scaler) const { Ffmpeg::Get().sws_freeContext(scaler); }
};
struct FfmpegEndOutput {
  void operator()(AVFormatContext* output) const {
    if (output->pb) Ffmpeg::Get().avio_closep(&output->pb);
    Ffmpeg::Get().avformat_free_context(output);
  }
};
using InputPtr = std::unique_ptr<AVFormatContext, FfmpegFree>;
using OutputPtr = std::unique_ptr<AVFormatContext, FfmpegEndOutput>;
using FramePtr = std::unique_ptr<AVFrame, FfmpegFree>;
using PacketPtr = std::unique_ptr<AVPacket, FfmpegFree>;
using CodecPtr = std::unique_ptr<AVCodecContext, FfmpegFree>;
using ScalerPtr = std::unique_ptr<SwsContext, FfmpegFree>;

}  // namespace skinmask
