#include "media/image_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>

#include "base/parse.h"
#include "media/png.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

bool IsSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// A box 'ftyp' of the brands for one picture (ISO/IEC 23008-12; AVIF). Sequences are not among
// them.
bool IsHeif(std::string_view bytes) {
  constexpr std::string_view kBrands[] = {"heic", "heix", "heim", "heis", "mif1", "avif"};
  if (bytes.size() < 12 || bytes.substr(4, 4) != "ftyp") return false;
  return std::ranges::find(kBrands, bytes.substr(8, 4)) != std::end(kBrands);
}

// The last `count` bytes come first where they are big-endian.
std::int64_t Number(std::string_view bytes, std::size_t at, std::size_t count, bool big_endian) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i)
    value = value << 8 | static_cast<std::uint8_t>(bytes[at + (big_endian ? i : count - 1 - i)]);
  return value;
}

// The next number of a PNM header: after white space, and comments from '#' to the line's end.
// White space must follow it, since OpenCV drops whatever does.
std::optional<std::int64_t> NextNumber(std::string_view& header) {
  while (!header.empty() && (IsSpace(header[0]) || header[0] == '#'))
    header.remove_prefix(header[0] == '#' ? std::min(header.find_first_of("\r\n"), header.size())
                                          : 1);
  const std::size_t digits = std::min(header.find_first_not_of("0123456789"), header.size());
  const auto number = ParseNumber<std::int32_t>(header.substr(0, digits));
  header.remove_prefix(digits);
  if (header.empty() || !IsSpace(header[0])) return std::nullopt;
  return number;
}

}  // namespace

std::optional<ImageFormat> FormatOf(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.starts_with("\xFF\xD8\xFF"sv)) return ImageFormat::kJpeg;
  if (bytes.starts_with(kPngSignature)) return ImageFormat::kPng;
  if (bytes.starts_with("BM"sv)) return ImageFormat::kBmp;
  if (bytes.starts_with("II*\0"sv) || bytes.starts_with("MM\0*"sv)) return ImageFormat::kTiff;
  if (bytes.starts_with("RIFF"sv) && bytes.substr(0, 12).ends_with("WEBP"sv) && bytes.size() >= 12)
    return ImageFormat::kWebP;
  if (bytes.size() >= 3 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6' &&
      IsSpace(bytes[2]))
    return ImageFormat::kPnm;
  if (bytes.starts_with("GIF87a"sv) || bytes.starts_with("GIF89a"sv)) return ImageFormat::kGif;
  if (bytes.starts_with("\xFF\x0A"sv) || bytes.starts_with("\0\0\0\x0CJXL \r\n\x87\n"sv))
    return ImageFormat::kJxl;
  if (IsHeif(bytes)) return ImageFormat::kHeif;
  return std::nullopt;
}

std::string_view FormatName(ImageFormat format) {
  switch (format) {
    case ImageFormat::kJpeg:
      return "JPEG";
    case ImageFormat::kPng:
      return "PNG";
    case ImageFormat::kBmp:
      return "BMP";
    case ImageFormat::kPnm:
      return "PNM";
    case ImageFormat::kTiff:
      return "TIFF";
    case ImageFormat::kWebP:
      return "WebP";
    case ImageFormat::kGif:
      return "GIF";
    case ImageFormat::kHeif:
      return "HEIF";
    case ImageFormat::kJxl:
      return "JPEG XL";
  }
  return {};
}

std::optional<PictureSize> PngSize(std::string_view bytes) {
  constexpr std::size_t kHeader = 16;  // behind the signature and the frame of the chunk IHDR
  if (bytes.size() < kHeader + 8 || bytes.substr(12, 4) != "IHDR") return std::nullopt;
  return PictureSize{Number(bytes, kHeader, 4, true), Number(bytes, kHeader + 4, 4, true)};
}

std::optional<PictureSize> BmpSize(std::string_view bytes) {
  constexpr std::size_t kHeader = 14;  // behind that of the file
  constexpr std::int64_t kOs2Header = 12;
  if (bytes.size() < kHeader + 12) return std::nullopt;
  if (Number(bytes, kHeader, 4, false) == kOs2Header)
    return PictureSize{Number(bytes, kHeader + 4, 2, false), Number(bytes, kHeader + 6, 2, false)};
  const auto width = static_cast<std::int32_t>(Number(bytes, kHeader + 4, 4, false));
  const auto height = static_cast<std::int32_t>(Number(bytes, kHeader + 8, 4, false));
  return PictureSize{width, std::abs(std::int64_t{height})};  // negative: from top to bottom
}

std::optional<PictureSize> PnmSize(std::string_view bytes) {
  bytes.remove_prefix(2);
  const auto width = NextNumber(bytes), height = NextNumber(bytes);
  if (!width || !height) return std::nullopt;
  return PictureSize{*width, *height};
}

void CheckSize(const PictureSize& size, std::int64_t most, std::string_view subject) {
  if (size.width <= 0 || size.height <= 0 || size.width > INT32_MAX || size.height > INT32_MAX)
    throw Error(subject, "is a damaged image: it has no pixels, or no size");
  if (size.width > most / size.height)
    throw Error(
        subject,
        fmt::format(
            "has {} x {} pixels, and the limit is {} pixels (`max_pixels` takes a higher one)",
            size.width, size.height, most));
}

}  // namespace skinmask
