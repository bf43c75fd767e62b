#include "media/damage_log.h"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <string_view>

namespace skinmask {
namespace {

using std::string_view_literals::operator""sv;

// Parts of the messages, before their numbers are filled in. The list is closed, since others of
// the same level come with good files, too (an attachment that is cut off, say). A version of
// FFmpeg that has other words leaves such damage unnoticed.
constexpr std::array kContainerWords = {
    // Matroska, WebM
    " invalid as first byte of an EBML number"sv,
    " indicated by an EBML number's first byte "sv,
    " exceeds containing master element ending at "sv,
    "Packet mismatch "sv,                            // FLV
    "CRC mismatch!"sv,                               // Ogg
    "frame size > 2max_distance and no checksum"sv,  // NUT
    "sync point checksum mismatch"sv,
    "ff asf bad header "sv,  // ASF
    "packet_obj_size "sv,
    "ff asf skip "sv,
    "invalid block label"sv,  // GIF
};
constexpr std::array kPictureWords = {
    "LZW decode failed"sv,    // GIF
    "slice CRC mismatch "sv,  // FFV1
};

thread_local DamageLog* listening = nullptr;
decltype(&av_log_default_callback) pass_on = nullptr;

void Note(void* of, int level, const char* format, va_list values) {
  if (listening && level <= AV_LOG_ERROR) {
    const std::string_view text = format;
    const auto is_in = [&](std::string_view part) { return text.find(part) != text.npos; };
    listening->container |= std::ranges::any_of(kContainerWords, is_in);
    listening->picture |= std::ranges::any_of(kPictureWords, is_in);
  }
  pass_on(of, level, format, values);
}

}  // namespace

DamageLog::DamageLog() { listening = this; }
DamageLog::~DamageLog() { listening = nullptr; }

void DamageLog::Install(const Ffmpeg& av) {
  pass_on = av.av_log_default_callback;
  av.av_log_set_level(AV_LOG_QUIET);
  av.av_log_set_callback(Note);
}

}  // namespace skinmask
