// Helpers for several file formats: numbers of several bytes, and the structures before the pixels
// of a JPEG, a PNG and a TIFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace skinmask {

inline std::uint64_t BigEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<std::uint8_t>(c);
  return value;
}
inline std::uint64_t LittleEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<std::uint8_t>(bytes[i]);
  return value;
}

// Convert the low `count` bytes of a number to bytes.
inline std::string BigEndianBytes(std::uint64_t value, int count) {
  std::string bytes;
  while (count-- > 0) bytes += static_cast<char>(value >> 8 * count);
  return bytes;
}
inline std::string LittleEndianBytes(std::uint64_t value, int count) {
  const std::string bytes = BigEndianBytes(value, count);
  return {bytes.rbegin(), bytes.rend()};
}

inline constexpr std::uint8_t kJpegScan = 0xDA;  // the marker of a scan, which pixels follow

// Calls see(marker, content) for each complete segment of a JPEG (ITU T.81, annex B), until `see`
// returns false. Markers are found as libjpeg finds them: other bytes, of pixels or stray, are
// skipped.
template <class See>
void ForJpegSegments(std::string_view jpeg, const See& see) {
  constexpr std::uint8_t kStuffed = 0x00, kFill = 0xFF, kTemporary = 0x01, kFirstRestart = 0xD0,
                         kStart = 0xD8, kEnd = 0xD9;
  for (std::size_t at = 0; (at = jpeg.find('\xFF', at)) != jpeg.npos && at + 1 < jpeg.size();) {
    const auto marker = static_cast<std::uint8_t>(jpeg[++at]);
    if (marker == kFill) continue;
    ++at;
    if (marker == kEnd) return;
    if (marker == kStuffed || marker == kTemporary || (marker >= kFirstRestart && marker <= kStart))
      continue;
    const std::size_t length = BigEndian(jpeg.substr(at, 2));
    const std::string_view segment = jpeg.substr(at, length);
    if (segment.size() == length && length >= 2 && !see(marker, segment.substr(2))) return;
    at += length;
  }
}

inline constexpr std::string_view kPngSignature("\x89PNG\r\n\x1a\n", 8);
inline constexpr std::size_t kPngFrame = 12;  // bytes of a chunk's length, type and CRC

struct PngChunk {
  std::string_view type, content;
  std::size_t start = 0, end = 0;  // offsets in the file
};

// Calls see(chunk) for each chunk, up to the first incomplete one, until `see` returns false.
template <class See>
void ForPngChunks(std::string_view png, const See& see) {
  for (std::size_t start = kPngSignature.size(); start + kPngFrame <= png.size();) {
    const std::size_t length = BigEndian(png.substr(start, 4));
    if (length > png.size() - start - kPngFrame) return;
    const std::size_t end = start + kPngFrame + length;
    if (!see(PngChunk{png.substr(start + 4, 4), png.substr(start + 8, length), start, end})) return;
    start = end;
  }
}

// Appends a chunk to the file. Defined in png_encode.cc.
void AppendPngChunk(std::string& png, std::string_view type, std::string_view content);
// The file without its deflated texts and its profile. Defined there, too.
std::string PngWithoutTexts(std::string_view png);

// gzip, bzip2, xz, Zstandard, ZIP
inline bool IsCompressed(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b") || bytes.starts_with("BZh") ||
         bytes.starts_with("\xfd\x37zXZ") || bytes.starts_with("\x28\xb5\x2f\xfd") ||
         bytes.starts_with("PK\3\4");
}

inline bool IsTiff(std::string_view bytes) {
  using namespace std::string_view_literals;
  return bytes.starts_with("II*\0"sv) || bytes.starts_with("MM\0*"sv);
}

// The first directory of a TIFF structure (TIFF 6.0, section 2), with which TIFFs, raw files of
// cameras and EXIF data begin.
class TiffDirectory {
 public:
  static constexpr std::size_t kShort = 3, kRational = 5;  // types of values

  // Has no entries if `bytes` are not such a structure.
  explicit TiffDirectory(std::string_view bytes) : bytes_(bytes) {
    constexpr std::size_t kMagic = 42;
    big_endian_ = bytes_.starts_with("MM");
    if ((!big_endian_ && !bytes_.starts_with("II")) || Number(2, 2) != kMagic) return;
    start_ = Number(4, 4) + 2;
    count_ = Number(start_ - 2, 2);
  }

  // The offset of the first entry of this tag; 0 if there is none.
  std::size_t Find(std::size_t tag) const {
    constexpr std::size_t kEntry = 12;
    for (std::size_t i = 0, at = start_; i < count_; ++i, at += kEntry)
      if (Number(at, 2) == tag) return at;
    return 0;
  }
  std::size_t TypeOf(std::size_t entry) const { return Number(entry + 2, 2); }
  std::size_t CountOf(std::size_t entry) const { return Number(entry + 4, 4); }

  // The number in `count` bytes at offset `at`; 0 beyond the end.
  std::size_t Number(std::size_t at, std::size_t count) const {
    if (at > bytes_.size() || count > bytes_.size() - at) return 0;
    const std::string_view number = bytes_.substr(at, count);
    return big_endian_ ? BigEndian(number) : LittleEndian(number);
  }

 private:
  std::string_view bytes_;
  bool big_endian_ = false;
  std::size_t start_ = 0, count_ = 0;
};

}  // namespace skinmask
