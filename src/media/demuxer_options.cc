#include "media/demuxer_options.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "media/decoding.h"
#include "media/image_format.h"
#include "media/video_codecs.h"
#include "media/video_frame.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"

namespace skinmask {
namespace {

// Names of FFmpeg's: MP4 and QuickTime, Matroska and WebM, AVI, MPEG programme and transport
// streams, ASF, Flash, Ogg, MXF, DV, YUV4MPEG, GIF, NUT, IVF, and the bare streams of codecs.
constexpr char kContainers[] =
    "mov,matroska,avi,mpeg,mpegts,asf,flv,ogg,mxf,dv,yuv4mpegpipe,gif,nut,ivf,mpegvideo,h264,hevc,"
    "m4v,mjpeg,obu,av1";

bool IsTar(const std::string& path) {
  constexpr std::size_t kMagicAt = 257;  // POSIX.1-1988, ustar
  char head[kMagicAt + 5] = {};
  std::ifstream(path, std::ios::binary).read(head, sizeof head);
  return std::string_view(head, sizeof head).ends_with("ustar");
}

// Whether something can be read from a pipe within three seconds, or, with `patience`, ever.
bool HasWriter(int pipe, bool patience, const std::atomic<bool>* stop) {
  constexpr int kWaits = 30, kWaitMilliseconds = 100;
  pollfd wait{pipe, POLLIN, 0};
  int ready = 0;
  for (int i = 0; (patience || i < kWaits) && ready <= 0 && !(stop && stop->load()); ++i)
    ready = poll(&wait, 1, kWaitMilliseconds);
  return ready > 0;
}

}  // namespace

DemuxerOptions::DemuxerOptions(bool stream) {
  Set("codec_whitelist", DecoderNames().c_str());
  if (!stream) {
    Set("format_whitelist", kContainers);
    Set("protocol_whitelist", "file,pipe");
    return;
  }
  Set("fflags", "nobuffer");
  Set("analyzeduration", "1000000");  // microseconds; the rest of the timeout is for connecting
  Set("rtsp_flags", "prefer_tcp");    // no lost packets where the server can do that
  Set("overrun_nonfatal", "1");       // UDP: too slow a reader loses packets, not the stream
}

DemuxerOptions::DemuxerOptions(const RawVideo& raw) {
  Set("codec_whitelist", DecoderNames().c_str());
  Set("format_whitelist", "rawvideo");
  Set("protocol_whitelist", "file,pipe");
  Set("video_size", fmt::format("{}x{}", raw.size.width, raw.size.height).c_str());
  Set("pixel_format", raw.pixel_format.c_str());
  Set("framerate", fmt::format("{}/{}", raw.rate.num, raw.rate.den).c_str());
}

DemuxerOptions::~DemuxerOptions() { Ffmpeg::Get().av_dict_free(&options_); }

void DemuxerOptions::Set(const char* key, const char* value) {
  Ffmpeg::Get().av_dict_set(&options_, key, value, 0);
}

void CheckRaw(const RawVideo& raw, std::int64_t max_pixels, const std::string& name) {
  CheckSize({raw.size.width, raw.size.height}, max_pixels, name);
  RequirePixelFormat(raw.pixel_format);
  if (raw.rate.num <= 0 || raw.rate.den <= 0)
    throw Error(fmt::format("rate {}/{}", raw.rate.num, raw.rate.den), "is not above 0");
}

const AVInputFormat* DemuxerFor(const std::string& path) {
  // FFmpeg takes JPEGs one after the other for an image, and not for Motion JPEG, from the first
  // one of some size on.
  constexpr std::string_view kJpeg = "\xff\xd8\xff";
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return nullptr;
  char head[kJpeg.size()] = {};
  std::ifstream(path, std::ios::binary).read(head, sizeof head);
  const bool jpeg = std::string_view(head, sizeof head) == kJpeg;
  return jpeg ? Ffmpeg::Get().av_find_input_format("mjpeg") : nullptr;
}

void CheckOpened(int result, const std::string& name) {
  // The demuxer of Y4M adds the length of "FRAME\n" to the bytes of a frame, or to the error that
  // they are.
  constexpr int kWrongSize = AVERROR(EINVAL) + 6;
  if (result == AVERROR(EINVAL))
    throw Error(name,
                "is no video of a container that is read (MP4, Matroska, AVI and others that "
                "docs/formats.md lists)");
  if (result == kWrongSize)
    throw Error(name, "has frames of a size that there is not (positive, and not too large)");
}

int FindStreamInfo(AVFormatContext* format, std::int64_t max_pixels) {
  const Decoding decoding;
  const Ffmpeg& av = Ffmpeg::Get();
  std::vector<AVDictionary*> options(format->nb_streams);
  for (AVDictionary*& of_stream : options)
    av.av_dict_set(&of_stream, "max_pixels", std::to_string(max_pixels).c_str(), 0);
  const int result = av.avformat_find_stream_info(format, options.empty() ? nullptr : &options[0]);
  for (AVDictionary*& of_stream : options) av.av_dict_free(&of_stream);
  return result;
}

VideoFile::VideoFile(const std::string& path, const std::atomic<bool>* stop)
    : address_("file:" + path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return;  // FFmpeg says it
  if (S_ISREG(status.st_mode) && IsTar(path)) throw Error(path, "is a tar archive, and no video");
  if (!S_ISFIFO(status.st_mode)) return;
  pipe_ = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  constexpr int kPipeBytes = 1 << 20;  // the default of 64 KiB is a fraction of a frame
  fcntl(pipe_, F_SETPIPE_SZ, kPipeBytes);
  if (!HasWriter(pipe_, IsDescriptor(path), stop)) {
    close(pipe_);
    throw Error(path, "is a pipe that nobody writes to");
  }
  address_ = "pipe:" + std::to_string(pipe_);
}

VideoFile::~VideoFile() {
  if (pipe_ >= 0) close(pipe_);
}

}  // namespace skinmask
