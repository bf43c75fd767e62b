#include "media/video_stream.h"

#include <fmt/format.h>

#include <cmath>

#include "media/video_codecs.h"
#include "media/video_frame.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

Rational RationalOf(AVRational r) { return {r.num, r.den}; }

}  // namespace

void DiscardOthers(AVFormatContext* format, int index) {
  for (unsigned i = 0; i < format->nb_streams; ++i)
    if (static_cast<int>(i) != index) format->streams[i]->discard = AVDISCARD_ALL;
}

VideoInfo InfoOf(AVFormatContext* format, int index, bool stream) {
  const Ffmpeg& av = Ffmpeg::Get();
  AVStream* const video = format->streams[index];
  VideoInfo info;
  info.size = {video->codecpar->width, video->codecpar->height};
  info.time_base = RationalOf(video->time_base);
  const AVRational rate = av.av_guess_frame_rate(format, video, nullptr);
  if (rate.num > 0 && rate.den > 0) info.rate = RationalOf(rate);
  if (format->duration > 0 && !stream)
    info.seconds = static_cast<double>(format->duration) / AV_TIME_BASE;
  if (video->nb_frames > 0)
    info.frames = video->nb_frames;
  else if (info.seconds && info.rate.num > 0)
    info.frames = std::llround(*info.seconds * info.rate.Value());
  const AVRational aspect = av.av_guess_sample_aspect_ratio(format, video, nullptr);
  if (aspect.num > 0 && aspect.den > 0) info.pixel_aspect = RationalOf(aspect);
  if (const std::int32_t* const matrix = av.DisplayMatrixOf(*video)) {
    const Orientation orientation = OrientationOf(matrix);
    info.rotation = orientation.rotation;
    info.mirrored = orientation.mirrored;
  }
  info.codec = av.avcodec_get_name(video->codecpar->codec_id);
  for (unsigned i = 0; i < format->nb_streams; ++i)
    info.sound |= format->streams[i]->codecpar->codec_type == AVMEDIA_TYPE_AUDIO;
  return info;
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
