#include "media/early_end.h"

#include <bit>
#include <cstdint>
#include <fstream>

namespace skinmask {
namespace {

std::string Head(const std::string& path) {
  std::string head(4096, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return head;
}

}  // namespace

std::int64_t MatroskaEnd(std::string_view head) {
  constexpr std::string_view kSegment = "\x18\x53\x80\x67";
  std::size_t at = head.find(kSegment);
  if (at == head.npos || (at += kSegment.size()) == head.size()) return 0;
  const auto first = static_cast<std::uint8_t>(head[at]);
  const int length = std::countl_zero(first) + 1;
  if (length > 8 || at + static_cast<std::size_t>(length) > head.size()) return 0;
  std::int64_t size = first & (0xff >> length);
  for (int i = 1; i < length; ++i)
    size = size << 8 | static_cast<std::uint8_t>(head[at + static_cast<std::size_t>(i)]);
  const bool unknown = size == (std::int64_t{1} << 7 * length) - 1;
  return unknown ? 0 : static_cast<std::int64_t>(at) + length + size;
}

bool EndsEarly(const AVFormatContext& format, int index, const std::string& path) {
  const Ffmpeg& av = Ffmpeg::Get();
  AVStream* const video = format.streams[index];
  const int entries = av.avformat_index_get_entries_count(video);
  const bool sized = format.pb && (format.pb->seekable & AVIO_SEEKABLE_NORMAL);  // no pipe
  const std::int64_t size = sized ? av.avio_size(format.pb) : 0;
  if (size <= 0) return false;
  if (std::string_view(format.iformat->name).starts_with("matroska"))
    return MatroskaEnd(Head(path)) > size;
  if (entries == 0) return false;
  const AVIndexEntry* const last = av.avformat_index_get_entry(video, entries - 1);
  return last->pos + last->size > size;
}

}  // namespace skinmask
