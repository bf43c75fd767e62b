#include "media/orientation.h"

#include <cstddef>
#include <cstdint>

namespace skinmask {
namespace {

std::uint8_t ByteAt(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint8_t>(bytes[at]);
}

// The TIFF structure that is EXIF data; empty where there is none. Takes a JPEG, whose segments
// before its pixels are looked at, or the data, with their header or without.
std::string_view ExifOf(std::string_view bytes) {
  constexpr int kStart = 0xFF, kStartOfScan = 0xDA, kApp1 = 0xE1;
  if (bytes.starts_with(kExifHeader)) return bytes.substr(kExifHeader.size());
  if (!bytes.starts_with("\xFF\xD8")) return bytes;
  for (std::size_t at = 2; at + 4 <= bytes.size() && ByteAt(bytes, at) == kStart;) {
    const int marker = ByteAt(bytes, at + 1);
    if (marker == kStart) {  // a fill byte
      ++at;
      continue;
    }
    if (marker == kStartOfScan) return {};
    const std::size_t length = std::size_t{ByteAt(bytes, at + 2)} << 8 | ByteAt(bytes, at + 3);
    const std::string_view segment = bytes.substr(at + 2, length);
    if (marker == kApp1 && segment.size() == length && length >= 2 &&
        segment.substr(2).starts_with(kExifHeader))
      return segment.substr(2 + kExifHeader.size());
    at += 2 + length;
  }
  return {};
}

// Numbers of a TIFF structure (TIFF 6.0, section 2); 0 beyond its end.
struct Tiff {
  std::size_t Number(std::size_t at, std::size_t count) const {
    if (at > bytes.size() || count > bytes.size() - at) return 0;
    std::size_t value = 0;
    for (std::size_t i = 0; i < count; ++i)
      value = value << 8 | ByteAt(bytes, at + (big_endian ? i : count - 1 - i));
    return value;
  }

  std::string_view bytes;
  bool big_endian = false;
};

// Of one directory's entry of tag 0x0112, a number of 1, 2 or 4 bytes; 0 where it says none.
std::size_t ValueOf(const Tiff& tiff, std::size_t entry) {
  constexpr std::size_t kByte = 1, kShort = 3, kLong = 4, kSigned = 5;  // from type to type
  const std::size_t type = tiff.Number(entry + 2, 2), count = tiff.Number(entry + 4, 4);
  const std::size_t plain = type > kSigned ? type - kSigned : type;
  const std::size_t size = plain == kByte ? 1 : plain == kShort ? 2 : plain == kLong ? 4 : 0;
  if (size == 0 || count == 0) return 0;
  const bool is_inside = count <= 4 / size;  // of the entry, else where it says
  return tiff.Number(is_inside ? entry + 8 : tiff.Number(entry + 8, 4), size);
}

// EXIF tag 0x0112, 1..8; 1 where there is none. It stands in the first directory, and nothing else
// is looked at: what that leads to is the author's to choose, a thousand times the same, too.
std::size_t TagOf(std::string_view bytes) {
  constexpr std::size_t kTag = 0x0112, kEntry = 12, kMagic = 42;
  Tiff tiff{ExifOf(bytes)};
  tiff.big_endian = tiff.bytes.starts_with("MM");
  if (!tiff.big_endian && !tiff.bytes.starts_with("II")) return 1;
  if (tiff.Number(2, 2) != kMagic) return 1;
  const std::size_t directory = tiff.Number(4, 4), entries = tiff.Number(directory, 2);
  for (std::size_t i = 0, at = directory + 2; i < entries; ++i, at += kEntry) {
    if (tiff.Number(at, 2) != kTag) continue;
    const std::size_t value = ValueOf(tiff, at);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

}  // namespace

Orientation ExifOrientation(std::string_view bytes) {
  // Exif 2.32, table 'Orientation'.
  constexpr Orientation kOfTag[9] = {{},           {},          {0, true},
                                     {180, false}, {180, true}, {270, true},
                                     {90, false},  {90, true},  {270, false}};
  return kOfTag[TagOf(bytes)];
}

cv::Mat Upright(const cv::Mat& stored, const Orientation& orientation) {
  cv::Mat picture = stored, turned;
  if (orientation.mirrored) cv::flip(stored, picture = cv::Mat(), 1);
  if (orientation.rotation == 0) return picture;
  cv::rotate(picture, turned,
             orientation.rotation == 90    ? cv::ROTATE_90_CLOCKWISE
             : orientation.rotation == 180 ? cv::ROTATE_180
                                           : cv::ROTATE_90_COUNTERCLOCKWISE);
  return turned;
}

}  // namespace skinmask
