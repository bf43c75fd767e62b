#include "media/video_containers.h"

#include <algorithm>

namespace skinmask {
namespace {

// MPEG program and transport streams, which hold codecs of many kinds.
bool IsMpegStream(std::string_view container) {
  constexpr std::string_view kNames[] = {"mpegts", "mpeg", "vob", "svcd", "dvd"};
  return std::ranges::count(kNames, container) > 0;
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

bool TakesSound(const AVOutputFormat& container, AVCodecID codec) {
  constexpr AVCodecID kOfMpeg[] = {AV_CODEC_ID_MP2, AV_CODEC_ID_MP3, AV_CODEC_ID_AC3,
                                   AV_CODEC_ID_DTS};
  constexpr AVCodecID kOfTransport[] = {AV_CODEC_ID_AAC, AV_CODEC_ID_EAC3, AV_CODEC_ID_OPUS};
  if (!IsMpegStream(container.name))
    return Ffmpeg::Get().avformat_query_codec(&container, codec, FF_COMPLIANCE_NORMAL) == 1;
  return std::ranges::count(kOfMpeg, codec) > 0 || (container.name == std::string_view("mpegts") &&
                                                    std::ranges::count(kOfTransport, codec) > 0);
}

bool StoresNoTimes(const AVOutputFormat& container) {
  const std::string_view name = container.name;
  return name == "yuv4mpegpipe" || name == "rawvideo" || name == "mxf" ||
         container.flags & AVFMT_NOTIMESTAMPS;
}

bool CountsFrames(std::string_view container, std::string_view codec) {
  return container == "avi" || codec.starts_with("mpeg") || codec.ends_with("theora") ||
         codec == "vc2" || codec == "dirac";
}

}  // namespace skinmask
