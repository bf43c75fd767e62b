#include "media/ffmpeg.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdarg>
#include <span>
#include <string_view>

#include "skinmask/base/error.h"

namespace skinmask {
namespace {

// The file of a library has the major version of its headers in its name; this version changes with
// the ABI.
#define SKINMASK_SONAME(name, NAME) "lib" name ".so." AV_STRINGIFY(NAME##_VERSION_MAJOR)

void* Open(const char* soname) {
  void* const library = dlopen(soname, RTLD_LAZY | RTLD_LOCAL);
  if (!library)
    throw Error(soname,
                std::string("cannot be loaded, and video needs it (FFmpeg's libraries, of the "
                            "version that skinmask was built with): ") +
                    dlerror());
  return library;
}

template <class Function>
void Find(std::span<void* const> libraries, const char* name, Function*& function) {
  function = nullptr;
  for (void* const library : libraries)
    if (!function) function = reinterpret_cast<Function*>(dlsym(library, name));
  if (!function) throw Error("FFmpeg", std::string("has no function ") + name);
}

// Parts of the format strings of messages about damage. Only these messages count, because others
// of the same level occur with good files, too (for example for a truncated attachment). If a
// version of FFmpeg changes a text, that damage is not detected.
constexpr std::string_view kDamageMessages[] = {
    // Matroska, WebM
    " invalid as first byte of an EBML number",
    " indicated by an EBML number's first byte ",
    " exceeds containing master element ending at ",
    "Packet mismatch ",                            // FLV
    "CRC mismatch!",                               // Ogg
    "frame size > 2max_distance and no checksum",  // NUT
    "sync point checksum mismatch",
    "ff asf bad header ",  // ASF
    "packet_obj_size ",
    "ff asf skip ",
    "slice CRC mismatch ",  // FFV1
    "Unknown OBU type ",    // AV1, by dav1d, which goes on at the next key frame
};

thread_local DamageLog* listening = nullptr;
decltype(&av_log_default_callback) pass_on = nullptr;

void Listen(void* of, int level, const char* format, va_list values) {
  if (listening && level <= AV_LOG_ERROR)
    listening->damage |= std::ranges::any_of(kDamageMessages, [&](std::string_view words) {
      return std::string_view(format).find(words) != std::string_view::npos;
    });
  pass_on(of, level, format, values);
}

}  // namespace

DamageLog::DamageLog() { listening = this; }
DamageLog::~DamageLog() { listening = nullptr; }

Ffmpeg::Ffmpeg() {
  void* const libraries[] = {
      Open(SKINMASK_SONAME("avutil", LIBAVUTIL)), Open(SKINMASK_SONAME("avcodec", LIBAVCODEC)),
      Open(SKINMASK_SONAME("avformat", LIBAVFORMAT)), Open(SKINMASK_SONAME("swscale", LIBSWSCALE))};
#define SKINMASK_FIND(name) Find(libraries, #name, name);
  SKINMASK_FFMPEG(SKINMASK_FIND)
#undef SKINMASK_FIND
  // FFmpeg prints nothing from now on, unless the program that uses this library raises the level
  // later.
  pass_on = av_log_default_callback;
  av_log_set_level(AV_LOG_QUIET);
  av_log_set_callback(Listen);
}

const Ffmpeg& Ffmpeg::Get() {
  static const Ffmpeg ffmpeg;
  return ffmpeg;
}

std::string Ffmpeg::Message(int error) const {
  char text[AV_ERROR_MAX_STRING_SIZE] = {};
  av_strerror(error, text, sizeof text);
  return text;
}

const std::int32_t* Ffmpeg::DisplayMatrixOf(const AVStream& stream) const {
#if SKINMASK_SIDE_DATA_OF_CODECPAR
  const AVPacketSideData* const found =
      av_packet_side_data_get(stream.codecpar->coded_side_data, stream.codecpar->nb_coded_side_data,
                              AV_PKT_DATA_DISPLAYMATRIX);
  return found ? reinterpret_cast<const std::int32_t*>(found->data) : nullptr;
#else
  return reinterpret_cast<const std::int32_t*>(
      av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, nullptr));
#endif
}

std::int64_t Ffmpeg::DurationOf(const AVFrame& frame) {
#if SKINMASK_FRAME_DURATION
  return frame.duration;
#else
  return frame.pkt_duration;
#endif
}

const AVPixelFormat* Ffmpeg::PixelFormatsOf(const AVCodec& encoder) const {
#if SKINMASK_CODEC_CONFIG
  const void* formats = nullptr;
  avcodec_get_supported_config(nullptr, &encoder, AV_CODEC_CONFIG_PIX_FORMAT, 0, &formats, nullptr);
  return static_cast<const AVPixelFormat*>(formats);
#else
  return encoder.pix_fmts;
#endif
}

}  // namespace skinmask
