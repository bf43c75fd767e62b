#include <cstdint>
#include <cstdlib>

#include "media/file_bytes.h"
#include "media/image_codec.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

constexpr std::size_t kFileHeader = 14;
constexpr std::uint32_t kOs2Header = 12;
// The values of biCompression (Microsoft, 'BITMAPINFOHEADER').
enum Compression : std::uint32_t { kRle8 = 1, kRle4 = 2, kMasks = 3, kMasksWithAlpha = 6 };

// Throws Error unless the masks of 32 bits a pixel are those of bytes B, G, R, X, as which OpenCV
// reads any masks.
void RequireUsualMasks(std::string_view masks, std::string_view subject) {
  for (const std::uint32_t usual : {0x00FF0000u, 0x0000FF00u, 0x000000FFu}) {
    if (masks.size() < 4) FailUnknownImage(subject);
    if (LittleEndian(masks.substr(0, 4)) != usual)
      throw Error(subject,
                  "is a BMP whose channels are in another order than B, G, R (one of 24 "
                  "bits a pixel is read)");
    masks.remove_prefix(4);
  }
}

// Throws Error for runs that are longer than the rest of their row, where OpenCV goes on in the
// next row (ImageMagick writes such files of rows that it pads), and for those that end before the
// last row. `bits`: of a pixel, 4 or 8.
void RequireRunsThatFit(std::string_view runs, std::size_t bits, const PictureSize& size,
                        std::string_view subject) {
  enum : std::uint8_t { kEndOfRow = 0, kEnd = 1, kMove = 2 };
  std::int64_t x = 0, y = 0;
  const auto is_whole = [&] { return y >= size.height || (y == size.height - 1 && x > 0); };
  while (runs.size() >= 2) {
    const auto count = static_cast<std::uint8_t>(runs[0]),
               code = static_cast<std::uint8_t>(runs[1]);
    runs.remove_prefix(2);
    // A new run begins a new row where the last one was filled without a mark. (Where it is the
    // padding of a filled row, the mark behind it makes that one row too many.)
    const bool draws = count > 0 || code > kMove;
    if (draws && x == size.width) x = 0, ++y;
    if (count > 0) {
      x += count;
    } else if (code == kEndOfRow) {
      x = 0;
      ++y;
    } else if (code == kEnd) {
      break;
    } else if (code == kMove) {
      if (runs.size() < 2) break;
      x += static_cast<std::uint8_t>(runs[0]);
      y += static_cast<std::uint8_t>(runs[1]);
      runs.remove_prefix(2);
    } else {  // so many pixels without runs, in whole words
      const std::size_t bytes = (code * bits + 15) / 16 * 2;
      if (runs.size() < bytes) break;
      x += code;
      runs.remove_prefix(bytes);
    }
    if (x > size.width || (draws && y >= size.height))
      throw Error(subject,
                  "is a BMP with a run of pixels that is longer than its row (one that is not "
                  "compressed is read)");
  }
  if (!is_whole())
    throw Error(subject, "is a damaged BMP: its pixels end too early (a whole file)");
}

}  // namespace

ImageHeader BmpHeader(std::string_view bytes, std::string_view subject) {
  if (bytes.size() < kFileHeader + kOs2Header) FailUnknownImage(subject);
  const std::string_view header = bytes.substr(kFileHeader);
  const auto number = [&](std::size_t at, std::size_t count) {
    return static_cast<std::uint32_t>(LittleEndian(header.substr(at, count)));
  };
  if (number(0, 4) == kOs2Header) return {.size = {number(4, 2), number(6, 2)}};
  const auto width = static_cast<std::int32_t>(number(4, 4));
  const auto height = static_cast<std::int32_t>(number(8, 4));
  // A negative height means top to bottom.
  const PictureSize size{width, std::abs(std::int64_t{height})};
  constexpr std::size_t kMasksAt = 40;
  if (header.size() < kMasksAt) return {.size = size};
  const std::uint32_t bits = number(14, 2), compression = number(16, 4);
  if (bits == 16 && compression == kMasks && number(0, 4) > kMasksAt)
    throw Error(subject,
                "is a BMP of 16 bits with a long header, which is not read (one of 24 bits a pixel "
                "is read)");
  if (bits == 32 && (compression == kMasks || compression == kMasksWithAlpha))
    RequireUsualMasks(header.substr(kMasksAt), subject);
  const std::size_t pixels_at = LittleEndian(bytes.substr(10, 4));
  const bool has_runs = (bits == 8 && compression == kRle8) || (bits == 4 && compression == kRle4);
  if (has_runs && pixels_at <= bytes.size())
    RequireRunsThatFit(bytes.substr(pixels_at), bits, size, subject);
  return {.size = size};
}

}  // namespace skinmask
