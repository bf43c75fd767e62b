#include "media/video_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "base/blocking_call.h"
#include "base/folder.h"
#include "media/image_codec.h"
#include "media/tar.h"
#include "media/video_frame.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"

namespace skinmask {
namespace {

// FFmpeg's names of the containers: MP4 and QuickTime, Matroska and WebM, AVI, MPEG programme and
// transport streams, ASF, Flash, Ogg, MXF, DV, YUV4MPEG, GIF, NUT, IVF, and raw streams of codecs.
constexpr char kContainers[] =
    "mov,matroska,avi,mpeg,mpegts,asf,flv,ogg,mxf,dv,yuv4mpegpipe,gif,nut,ivf,mpegvideo,h264,hevc,"
    "m4v,mjpeg,obu,av1";

constexpr std::array kDecoded = {
    // Phones, cameras and browsers
    AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_VP8, AV_CODEC_ID_VP9, AV_CODEC_ID_AV1,
    AV_CODEC_ID_MJPEG, AV_CODEC_ID_H263, AV_CODEC_ID_H263P, AV_CODEC_ID_DVVIDEO,
    // Discs, broadcasts and the web of earlier years
    AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4, AV_CODEC_ID_THEORA,
    AV_CODEC_ID_FLV1, AV_CODEC_ID_VP6, AV_CODEC_ID_VP6F, AV_CODEC_ID_VP6A, AV_CODEC_ID_MSMPEG4V2,
    AV_CODEC_ID_MSMPEG4V3, AV_CODEC_ID_WMV1, AV_CODEC_ID_WMV2, AV_CODEC_ID_WMV3, AV_CODEC_ID_VC1,
    AV_CODEC_ID_GIF,
    // Editors and archives
    AV_CODEC_ID_PRORES, AV_CODEC_ID_DNXHD, AV_CODEC_ID_FFV1, AV_CODEC_ID_HUFFYUV,
    AV_CODEC_ID_FFVHUFF, AV_CODEC_ID_UTVIDEO, AV_CODEC_ID_QTRLE, AV_CODEC_ID_PNG,
    AV_CODEC_ID_RAWVIDEO, AV_CODEC_ID_V210};

// A picture of a GIF can be one pixel in 22 bytes, but makes a frame of the whole canvas.
constexpr std::int64_t kMaxGifPixels = 1 << 24;

// The names of these decoders, for FFmpeg's option `codec_whitelist` while it probes a file. No
// sound and no subtitle decoder is included, so FFmpeg leaves unknown what it would find by
// decoding these; nor that of PNG, which inflates texts to any size (VideoReader removes them).
const std::string& DecoderNames() {
  static const std::string all = [] {
    const Ffmpeg& av = Ffmpeg::Get();
    std::string names;
    void* state = nullptr;
    while (const AVCodec* codec = av.av_codec_iterate(&state))
      if (!av.av_codec_is_encoder(codec) && IsDecoded(codec->id) && codec->id != AV_CODEC_ID_PNG)
        names += (names.empty() ? "" : ",") + std::string(codec->name);
    return names;
  }();
  return all;
}

using Options = std::vector<std::pair<const char*, std::string>>;

// How much of a real-time input FFmpeg analyses, in microseconds; the rest of the timeout remains
// for connecting.
constexpr const char* kAnalyzed = "1000000";

int Open(InputPtr& input, const std::string& address, const AVInputFormat* demuxer,
         const Options& options, AVIOInterruptCB interrupt) {
  const Ffmpeg& av = Ffmpeg::Get();
  AVFormatContext* format = av.avformat_alloc_context();
  format->interrupt_callback = interrupt;
  AVDictionary* dictionary = nullptr;
  av.av_dict_set(&dictionary, "codec_whitelist", DecoderNames().c_str(), 0);
  for (const auto& [key, value] : options) av.av_dict_set(&dictionary, key, value.c_str(), 0);
  const int result = av.avformat_open_input(&format, address.c_str(), demuxer, &dictionary);
  av.av_dict_free(&dictionary);
  input.reset(format);  // format is null after an error
  return result;
}

// If the first JPEG of a Motion JPEG file exceeds some size, FFmpeg takes the file for a single
// image; the demuxer is set here to avoid that.
const AVInputFormat* DemuxerFor(const std::string& address) {
  constexpr std::string_view kFile = "file:";
  if (!address.starts_with(kFile)) return nullptr;
  const std::string path = address.substr(kFile.size());
  const bool jpeg = IsRegularFile(path) && IsJpeg(PeekDescriptor(path, nullptr));
  return jpeg ? Ffmpeg::Get().av_find_input_format("mjpeg") : nullptr;
}

// True if data can be read from a pipe within three seconds, or, with `patience`, at any time.
bool HasWriter(int pipe, bool patience, const std::atomic<bool>* stop) {
  constexpr int kWaits = 30, kWaitMilliseconds = 100;
  pollfd wait{pipe, POLLIN, 0};
  int ready = 0;
  for (int i = 0; (patience || i < kWaits) && ready <= 0 && !(stop && stop->load()); ++i)
    ready = poll(&wait, 1, kWaitMilliseconds);
  return ready > 0;
}

// For AVCodecContext::err_recognition. Checksums are always verified. Some decoders conceal damage
// and flag a later picture than the first damaged one; these must fail instead. Other decoders flag
// the right picture. H.264 would, with this flag, take a recording that begins in the middle of a
// stream for damaged.
int ErrorRecognition(AVCodecID codec) {
  constexpr std::array kGiveUp = {AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4,
                                  AV_CODEC_ID_MJPEG, AV_CODEC_ID_PNG};
  const bool gives_up = std::ranges::find(kGiveUp, codec) != kGiveUp.end();
  return gives_up ? AV_EF_CRCCHECK | AV_EF_EXPLODE : AV_EF_CRCCHECK;
}

Rational RationalOf(AVRational r) { return {r.num, r.den}; }

}  // namespace

VideoFile::VideoFile(const std::string& path, const std::atomic<bool>* stop)
    : address("file:" + path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return;  // FFmpeg reports this
  if (S_ISREG(status.st_mode) && status.st_size == 0)
    throw Error(path, "is empty (a video is expected)");
  if (S_ISREG(status.st_mode) && IsTar(PeekDescriptor(path, nullptr)))
    throw Error(path, "is a tar archive, and no video");
  if (!S_ISFIFO(status.st_mode)) return;
  pipe = Descriptor(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (pipe.get() < 0) FailBy(path, "cannot be read", errno);
  constexpr int kPipeBytes = 1 << 20;  // the default of 64 KiB holds only a part of a frame
  fcntl(pipe.get(), F_SETPIPE_SZ, kPipeBytes);
  if (!HasWriter(pipe.get(), IsDescriptor(path), stop))
    throw Error(path, "is a pipe that nobody writes to");
  address = "pipe:" + std::to_string(pipe.get());
}

int OpenFile(InputPtr& input, const std::string& address, AVIOInterruptCB interrupt,
             const std::optional<RawVideo>& raw, bool current) {
  Options options{{"protocol_whitelist", "file,pipe"},
                  {"format_whitelist", raw ? "rawvideo" : kContainers}};
  if (current) options.emplace_back("analyzeduration", kAnalyzed);
  if (!raw) return Open(input, address, DemuxerFor(address), options, interrupt);
  options.emplace_back("video_size", fmt::format("{}x{}", raw->size.width, raw->size.height));
  options.emplace_back("pixel_format", raw->pixel_format);
  options.emplace_back("framerate", fmt::format("{}/{}", raw->rate.num, raw->rate.den));
  return Open(input, address, Ffmpeg::Get().av_find_input_format("rawvideo"), options, interrupt);
}

int OpenStream(InputPtr& input, const std::string& address, AVIOInterruptCB interrupt) {
  Ffmpeg::Get().avformat_network_init();
  Options options{{"analyzeduration", kAnalyzed},
                  {"rtsp_flags", "prefer_tcp"},  // no lost packets, if the server supports it
                  {"overrun_nonfatal", "1"}};    // UDP: a slow reader only loses packets
  // Drops the packets that were analysed, which are old; but those of a file begin it. By HTTP the
  // size of a file may be unknown.
  if (!address.starts_with("http")) options.emplace_back("fflags", "nobuffer");
  const int result = Open(input, address, nullptr, options, interrupt);
  const bool is_file = result >= 0 && input->pb && Ffmpeg::Get().avio_size(input->pb) > 0;
  if (is_file) input->flags &= ~AVFMT_FLAG_NOBUFFER;
  return result;
}

void CheckRaw(const RawVideo& raw, std::int64_t max_pixels, const std::string& name) {
  CheckSize({raw.size.width, raw.size.height}, max_pixels, name);
  RequirePixelFormat(raw.pixel_format);
  if (raw.rate.num <= 0 || raw.rate.den <= 0)
    throw Error(fmt::format("rate {}/{}", raw.rate.num, raw.rate.den), "is not above 0");
}

void CheckPictures(const AVCodecParameters& picture, std::int64_t max_pixels,
                   const std::string& name) {
  if (picture.width <= 0 || picture.height <= 0)
    throw Error(name, fmt::format("holds pictures without a size: they are damaged, or far above "
                                  "the limit of {} pixels (`max_pixels` takes a higher one)",
                                  max_pixels));
  CheckSize({picture.width, picture.height}, max_pixels, name);
  if (picture.codec_id == AV_CODEC_ID_GIF &&
      std::int64_t{picture.width} * picture.height > kMaxGifPixels)
    throw Error(name, fmt::format("is an animation of {} x {} pixels (a GIF of at most {}, or a "
                                  "video of another format)",
                                  picture.width, picture.height, kMaxGifPixels));
}

void CheckOpened(int result, const std::string& name) {
  // The Y4M demuxer adds the length of "FRAME\n" to the size of a frame, even if that size is an
  // error code.
  constexpr int kWrongSize = AVERROR(EINVAL) + 6;
  if (result == AVERROR(EINVAL))
    throw Error(name,
                "is no video of a container that is read (MP4, Matroska, AVI and others that "
                "docs/formats.md lists)");
  if (result == kWrongSize)
    throw Error(name, "has frames of a size that there is not (positive, and not too large)");
}

// Decoders compare the size in whole blocks with their limit, and the size that they tell is
// checked against max_pixels itself.
std::int64_t DecodersLimit(std::int64_t max_pixels) {
  constexpr std::int64_t kBlocks = 1 << 22;
  return std::min(max_pixels, std::numeric_limits<std::int64_t>::max() / 4) * 2 + kBlocks;
}

int FindStreamInfo(AVFormatContext* format, std::int64_t max_pixels) {
  const BlockingCall decoding;
  const Ffmpeg& av = Ffmpeg::Get();
  std::vector<AVDictionary*> options(format->nb_streams);
  for (AVDictionary*& of_stream : options)
    av.av_dict_set(&of_stream, "max_pixels", std::to_string(DecodersLimit(max_pixels)).c_str(), 0);
  const int result = av.avformat_find_stream_info(format, options.empty() ? nullptr : &options[0]);
  for (AVDictionary*& of_stream : options) av.av_dict_free(&of_stream);
  return result;
}

void DiscardOthers(AVFormatContext* format, int index) {
  for (unsigned i = 0; i < format->nb_streams; ++i)
    if (static_cast<int>(i) != index) format->streams[i]->discard = AVDISCARD_ALL;
}

std::int64_t EndOf(const AVFormatContext& format, int index) {
  const AVStream& video = *format.streams[index];
  if (video.start_time == AV_NOPTS_VALUE) return -kMaxTime;
  std::int64_t length = video.duration;
  if (format.nb_streams == 1 && format.duration > 0)
    length = std::max(length, Ffmpeg::Get().av_rescale_q(
                                  format.duration, AVRational{1, AV_TIME_BASE}, video.time_base));
  return std::clamp(length, -kMaxTime, kMaxTime) +
         std::clamp(video.start_time, -kMaxTime, kMaxTime);
}

VideoInfo InfoOf(AVFormatContext* format, int index, bool stream) {
  const Ffmpeg& av = Ffmpeg::Get();
  AVStream* const video = format->streams[index];
  VideoInfo info;
  info.size = {video->codecpar->width, video->codecpar->height};
  info.time_base = RationalOf(video->time_base);
  const AVRational rate = av.av_guess_frame_rate(format, video, nullptr);
  if (rate.num > 0 && rate.den > 0) info.rate = RationalOf(rate);
  // A stream has an end if it is a file of known size, as by HTTP; FFmpeg also tells the duration
  // of the first fragments of a stream without an end. The known size of a list of segments, or of
  // a description, is not that of the stream, and only such a list has a duration that is complete.
  const std::string_view demuxer = format->iformat->name;
  info.in_segments = demuxer == "hls" || demuxer == "dash";
  const bool is_described = info.in_segments || demuxer == "sdp";
  info.has_end =
      !stream || (is_described ? format->duration > 0 : format->pb && av.avio_size(format->pb) > 0);
  if (format->duration > 0 && info.has_end)
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

bool IsDecoded(AVCodecID codec) { return std::ranges::find(kDecoded, codec) != kDecoded.end(); }

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
  codec->max_pixels = DecodersLimit(options.max_pixels);
  codec->get_buffer2 = ZeroedBuffer;
  if (!stream) codec->err_recognition |= ErrorRecognition(decoder.id);
  codec->thread_count = options.threads;
  // Frame threading would delay each frame by the number of threads, and could return a frame
  // before another thread finds that it is damaged.
  codec->thread_type = FF_THREAD_SLICE;
  const int result = av.avcodec_open2(codec.get(), &decoder, nullptr);
  if (result < 0)
    throw Error(name,
                fmt::format("the decoder {} does not start: {}", decoder.name, av.Message(result)));
  return codec;
}

}  // namespace skinmask
