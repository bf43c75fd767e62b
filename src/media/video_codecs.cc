#include "media/video_codecs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "skinmask/base/error.h"

namespace skinmask {
namespace {

constexpr std::array kDecoded = {
    // Phones, cameras and browsers
    AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_VP8, AV_CODEC_ID_VP9, AV_CODEC_ID_AV1,
    AV_CODEC_ID_MJPEG, AV_CODEC_ID_H263, AV_CODEC_ID_H263P, AV_CODEC_ID_DVVIDEO,
    // Discs, broadcasts and the web of before
    AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4, AV_CODEC_ID_THEORA,
    AV_CODEC_ID_FLV1, AV_CODEC_ID_VP6, AV_CODEC_ID_VP6F, AV_CODEC_ID_VP6A, AV_CODEC_ID_MSMPEG4V2,
    AV_CODEC_ID_MSMPEG4V3, AV_CODEC_ID_WMV1, AV_CODEC_ID_WMV2, AV_CODEC_ID_WMV3, AV_CODEC_ID_VC1,
    AV_CODEC_ID_GIF,
    // Editors and archives
    AV_CODEC_ID_PRORES, AV_CODEC_ID_DNXHD, AV_CODEC_ID_FFV1, AV_CODEC_ID_HUFFYUV,
    AV_CODEC_ID_FFVHUFF, AV_CODEC_ID_UTVIDEO, AV_CODEC_ID_QTRLE, AV_CODEC_ID_PNG,
    AV_CODEC_ID_RAWVIDEO, AV_CODEC_ID_V210};

std::string Names() {
  const Ffmpeg& av = Ffmpeg::Get();
  std::string names;
  void* state = nullptr;
  while (const AVCodec* codec = av.av_codec_iterate(&state))
    if (!av.av_codec_is_encoder(codec) && IsDecoded(codec->id))
      names += (names.empty() ? "" : ",") + std::string(codec->name);
  return names;
}

// For AVCodecContext::err_recognition: checksums count, and decoders that would paint over damage
// and say so of another picture than the first that shows it give up instead. Not so those that say
// it of the right one; nor H.264, which takes a recording that begins in the middle of a stream for
// damaged then.
int ErrorRecognition(AVCodecID codec) {
  switch (codec) {
    case AV_CODEC_ID_MPEG1VIDEO:
    case AV_CODEC_ID_MPEG2VIDEO:
    case AV_CODEC_ID_MPEG4:
    case AV_CODEC_ID_MJPEG:
    case AV_CODEC_ID_PNG:
      return AV_EF_CRCCHECK | AV_EF_EXPLODE;
    default:
      return AV_EF_CRCCHECK;
  }
}

}  // namespace

bool IsDecoded(AVCodecID codec) { return std::ranges::find(kDecoded, codec) != kDecoded.end(); }

const std::string& DecoderNames() {
  static const std::string names = Names();
  return names;
}

int ZeroedBuffer(AVCodecContext* codec, AVFrame* frame, int flags) {
  const int result = Ffmpeg::Get().avcodec_default_get_buffer2(codec, frame, flags);
  if (result < 0) return result;
  for (const AVBufferRef* const buffer : frame->buf)
    if (buffer) std::memset(buffer->data, 0, static_cast<std::size_t>(buffer->size));
  return result;
}

CodecPtr OpenDecoder(const AVCodec& decoder, const AVStream& video, const VideoOpenOptions& options,
                     const std::string& name, bool stream) {
  const Ffmpeg& av = Ffmpeg::Get();
  CodecPtr codec(av.avcodec_alloc_context3(&decoder));
  av.avcodec_parameters_to_context(codec.get(), video.codecpar);
  codec->pkt_timebase = video.time_base;
  codec->max_pixels = options.max_pixels;
  codec->get_buffer2 = ZeroedBuffer;
  if (!stream) codec->err_recognition |= ErrorRecognition(decoder.id);
  codec->thread_count = options.threads;
  // A thread to each frame would delay every frame by as many as there are threads, and a frame
  // could be handed out before another thread finds it damaged.
  codec->thread_type = FF_THREAD_SLICE;
  const int result = av.avcodec_open2(codec.get(), &decoder, nullptr);
  if (result < 0)
    throw Error(name,
                fmt::format("the decoder {} does not start: {}", decoder.name, av.Message(result)));
  return codec;
}

}  // namespace skinmask
