// Metadata of image files: orientation, colour profile and resolution.
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "media/file_bytes.h"
#include "media/image_codec.h"
#include "skinmask/base/error.h"
#include "skinmask/media/image.h"

namespace skinmask {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kExifHeader("Exif\0\0", 6), kIccHeader("ICC_PROFILE\0", 12),
    kJfif("JFIF\0", 5);
// Dots per centimetre, and per metre, times these are dots per inch.
constexpr double kCentimetres = 2.54, kMetre = 0.0254;
constexpr std::size_t kAfterJfif = 20, kAfterPngHeader = 33;  // offsets in a file
constexpr std::uint8_t kJfifSegment = 0xE0, kIccSegment = 0xE2;

double NumberAt(std::string_view bytes, std::size_t at, std::size_t count) {
  return static_cast<double>(BigEndian(bytes.substr(at, count)));
}

// The TIFF structure of EXIF data; empty if there is none. Takes a JPEG, whose segments before its
// pixels are searched, or the data, with or without their header.
std::string_view ExifOf(std::string_view bytes) {
  constexpr std::uint8_t kApp1 = 0xE1;
  if (bytes.starts_with(kExifHeader)) return bytes.substr(kExifHeader.size());
  if (!bytes.starts_with("\xFF\xD8")) return bytes;
  std::string_view exif;
  ForJpegSegments(bytes, [&](std::uint8_t marker, std::string_view content) {
    const bool is_exif = marker == kApp1 && content.starts_with(kExifHeader);
    if (is_exif) exif = content.substr(kExifHeader.size());
    return !is_exif && marker != kJpegScan;
  });
  return exif;
}

// Keeps resolutions that printers and scanners can have; others become 0.
void SetResolution(double across, double down, double inches, PictureTags& tags) {
  const auto [least, most] = std::minmax({across * inches, down * inches});
  const bool is_plausible = least >= 1 && most <= kMaxDpi;
  tags.dpi_x = is_plausible ? across * inches : 0;
  tags.dpi_y = is_plausible ? down * inches : 0;
}

// Reads the tags 0x011A, 0x011B and 0x0128 of TIFF or EXIF data.
void ReadResolution(const TiffDirectory& tiff, PictureTags& tags) {
  const auto rational = [&](std::size_t tag) {
    const std::size_t entry = tiff.Find(tag), at = entry > 0 ? tiff.Number(entry + 8, 4) : 0;
    const std::size_t below = at > 0 ? tiff.Number(at + 4, 4) : 0;
    const bool is_rational = below > 0 && tiff.TypeOf(entry) == TiffDirectory::kRational;
    return is_rational ? static_cast<double>(tiff.Number(at, 4)) / static_cast<double>(below) : 0.;
  };
  constexpr std::size_t kUnit = 0x0128, kNone = 1, kOfCentimetre = 3;
  const std::size_t entry = tiff.Find(kUnit), unit = entry > 0 ? tiff.Number(entry + 8, 2) : 2;
  if (unit != kNone)
    SetResolution(rational(0x011A), rational(0x011B), unit == kOfCentimetre ? kCentimetres : 1,
                  tags);
}

// A profile may be divided among up to 255 numbered segments.
PictureTags TagsOfJpeg(std::string_view jpeg) {
  PictureTags tags;
  std::map<std::uint8_t, std::string_view> parts;
  std::size_t size = 0;
  ForJpegSegments(jpeg, [&](std::uint8_t marker, std::string_view content) {
    if (marker == kJfifSegment && content.starts_with(kJfif) && content.size() >= 12) {
      const char unit = content[7];
      if (unit == 1 || unit == 2)
        SetResolution(NumberAt(content, 8, 2), NumberAt(content, 10, 2),
                      unit == 2 ? kCentimetres : 1, tags);
    } else if (marker == kIccSegment && content.starts_with(kIccHeader) &&
               content.size() > kIccHeader.size() + 2) {
      const auto number = static_cast<std::uint8_t>(content[kIccHeader.size()]);
      if (parts.emplace(number, content.substr(kIccHeader.size() + 2)).second)
        size += content.size();
    }
    return marker != kJpegScan;
  });
  if (size <= kMaxProfile)
    for (const auto& [number, part] : parts) tags.icc += part;
  if (tags.dpi_x == 0) ReadResolution(TiffDirectory(ExifOf(jpeg)), tags);
  return tags;
}

// Inflates the profile of a chunk iCCP, whose content is a name, a zero, the number of the method,
// and the deflated profile.
std::string InflatedProfile(std::string_view content) {
  const std::size_t name = content.find('\0');
  if (name > 79 || content.size() < name + 3) return {};
  const std::string_view packed = content.substr(name + 2);
  const auto icc = std::make_unique_for_overwrite<Bytef[]>(kMaxProfile);
  uLongf size = kMaxProfile;
  // A damaged profile is reported by the code that opens it.
  if (uncompress(icc.get(), &size, reinterpret_cast<const Bytef*>(packed.data()), packed.size()) !=
      Z_OK)
    return "?";
  return {reinterpret_cast<const char*>(icc.get()), size};
}

PictureTags TagsOfPng(std::string_view png) {
  PictureTags tags;
  ForPngChunks(png, [&](const PngChunk& chunk) {
    const std::string_view content = chunk.content;
    // Only the first one counts, as in libpng: inflating all of them, possibly thousands, would
    // take long.
    if (chunk.type == "iCCP" && tags.icc.empty()) tags.icc = InflatedProfile(content);
    if (chunk.type == "pHYs" && content.size() == 9 && content[8] == 1)
      SetResolution(NumberAt(content, 0, 4), NumberAt(content, 4, 4), kMetre, tags);
    return chunk.type != "IDAT";
  });
  return tags;
}

// Calls see(type, content) for each chunk after 'WEBP'.
template <class See>
void ForWebPChunks(std::string_view webp, const See& see) {
  constexpr std::size_t kStart = 12, kFrame = 8;
  for (std::size_t at = kStart; at + kFrame <= webp.size();) {
    const std::size_t length = LittleEndian(webp.substr(at + 4, 4));
    if (length > webp.size() - at - kFrame) return;
    see(webp.substr(at, 4), webp.substr(at + kFrame, length));
    at += kFrame + length + length % 2;
  }
}

PictureTags TagsOfWebP(std::string_view webp) {
  PictureTags tags;
  ForWebPChunks(webp, [&](std::string_view type, std::string_view content) {
    if (type == "ICCP" && content.size() <= kMaxProfile) tags.icc = content;
    if (type == "EXIF") ReadResolution(TiffDirectory(ExifOf(content)), tags);
  });
  return tags;
}

PictureTags TagsOfTiff(std::string_view bytes) {
  constexpr std::size_t kProfile = 0x8773;
  PictureTags tags;
  const TiffDirectory tiff(bytes);
  ReadResolution(tiff, tags);
  const std::size_t entry = tiff.Find(kProfile);
  const std::size_t size = entry > 0 ? tiff.CountOf(entry) : 0;
  const std::size_t at = entry > 0 ? tiff.Number(entry + 8, 4) : 0;
  if (size > 4 && size <= kMaxProfile && at <= bytes.size() && size <= bytes.size() - at)
    tags.icc = bytes.substr(at, size);
  return tags;
}

std::size_t Rounded(double value) { return static_cast<std::size_t>(std::lround(value)); }

// Adds tags to a file that begins with a JFIF segment, as those of TurboJPEG do.
std::string JpegWithTags(std::string jpeg, const PictureTags& tags) {
  constexpr std::size_t kUnits = 13, kMaxPart = 65533 - 14;
  if (tags.dpi_x > 0)
    jpeg.replace(
        kUnits, 5,
        '\1' + BigEndianBytes(Rounded(tags.dpi_x), 2) + BigEndianBytes(Rounded(tags.dpi_y), 2));
  std::string segments;
  const std::size_t count = (tags.icc.size() + kMaxPart - 1) / kMaxPart;
  if (count > 255) throw Error("tags", "have a profile that is too large for a JPEG (16 MiB)");
  for (std::size_t i = 0; i < count; ++i) {
    const std::string part = tags.icc.substr(i * kMaxPart, kMaxPart);
    segments.append("\xFF\xE2").append(BigEndianBytes(2 + kIccHeader.size() + 2 + part.size(), 2));
    segments.append(kIccHeader).append(BigEndianBytes(i + 1, 1)).append(BigEndianBytes(count, 1));
    segments += part;
  }
  return jpeg.insert(kAfterJfif, segments);
}

std::string PngWithTags(std::string png, const PictureTags& tags) {
  std::string chunks;
  if (!tags.icc.empty()) {
    std::string packed(compressBound(tags.icc.size()), '\0');
    uLongf size = packed.size();
    compress(reinterpret_cast<Bytef*>(packed.data()), &size,
             reinterpret_cast<const Bytef*>(tags.icc.data()), tags.icc.size());
    packed.resize(size);
    AppendPngChunk(chunks, "iCCP", std::string("ICC profile\0\0"sv).append(packed));
  }
  if (tags.dpi_x > 0)
    AppendPngChunk(chunks, "pHYs",
                   BigEndianBytes(Rounded(tags.dpi_x / kMetre), 4) +
                       BigEndianBytes(Rounded(tags.dpi_y / kMetre), 4) + '\1');
  return png.insert(kAfterPngHeader, chunks);
}

// EXIF data with only a resolution.
std::string ExifOfResolution(const PictureTags& tags) {
  constexpr std::size_t kValues = 8 + 2 + 3 * 12 + 4, kPart = 1000;
  const auto entry = [](std::size_t tag, std::size_t type, std::size_t value) {
    return LittleEndianBytes(tag, 2) + LittleEndianBytes(type, 2) + LittleEndianBytes(1, 4) +
           LittleEndianBytes(value, 4);
  };
  std::string exif("II*\0"sv);
  exif += LittleEndianBytes(8, 4) + LittleEndianBytes(3, 2);
  exif += entry(0x011A, TiffDirectory::kRational, kValues);
  exif += entry(0x011B, TiffDirectory::kRational, kValues + 8);
  exif += entry(0x0128, TiffDirectory::kShort, 2) + LittleEndianBytes(0, 4);
  for (const double dpi : {tags.dpi_x, tags.dpi_y})
    exif += LittleEndianBytes(Rounded(dpi * kPart), 4) + LittleEndianBytes(kPart, 4);
  return exif;
}

// The extended form of the file, in which the present chunks are between the profile and the EXIF
// data.
std::string WebPWithTags(const std::string& webp, const PictureTags& tags, const cv::Size& size) {
  constexpr std::size_t kProfile = 0x20, kAlpha = 0x10, kExif = 0x08;
  const auto chunk = [](std::string_view type, std::string_view content) {
    std::string made = std::string(type) + LittleEndianBytes(content.size(), 4);
    return made.append(content).append(content.size() % 2, '\0');
  };
  std::size_t flags = (tags.icc.empty() ? 0 : kProfile) | (tags.dpi_x > 0 ? kExif : 0);
  std::string pixels;
  ForWebPChunks(webp, [&](std::string_view type, std::string_view content) {
    if (type == "VP8X" && !content.empty())
      flags |= static_cast<std::uint8_t>(content[0]) & kAlpha;
    else
      pixels += chunk(type, content);
  });
  std::string body("WEBP");
  body += chunk("VP8X", LittleEndianBytes(flags, 4) +
                            LittleEndianBytes(static_cast<std::size_t>(size.width) - 1, 3) +
                            LittleEndianBytes(static_cast<std::size_t>(size.height) - 1, 3));
  if (!tags.icc.empty()) body += chunk("ICCP", tags.icc);
  body += pixels;
  if (tags.dpi_x > 0) body += chunk("EXIF", ExifOfResolution(tags));
  return "RIFF" + LittleEndianBytes(body.size(), 4) + body;
}

}  // namespace

PictureTags ReadTags(std::string_view bytes) {
  if (IsJpeg(bytes)) return TagsOfJpeg(bytes);
  if (bytes.starts_with(kPngSignature)) return TagsOfPng(bytes);
  if (bytes.starts_with("RIFF")) return TagsOfWebP(bytes);
  if (IsTiff(bytes)) return TagsOfTiff(bytes);
  return {};
}

// Only the first directory is read. Other directories are at offsets that the author of a hostile
// file chooses, possibly the same one a thousand times.
Orientation ExifOrientation(std::string_view bytes) {
  // Exif 2.32, table 'Orientation'.
  constexpr Orientation kOfTag[9] = {{},           {},          {0, true},
                                     {180, false}, {180, true}, {270, true},
                                     {90, false},  {90, true},  {270, false}};
  constexpr std::size_t kOrientation = 0x0112, kLong = 4;  // some programs write four bytes
  const TiffDirectory tiff(ExifOf(bytes));
  const std::size_t entry = tiff.Find(kOrientation);
  const std::size_t size = tiff.TypeOf(entry) == kLong ? 4 : 2;
  const std::size_t value = entry > 0 ? tiff.Number(entry + 8, size) : 0;
  return kOfTag[value <= 8 ? value : 0];
}

std::string WithTags(std::string file, const PictureTags& tags, const cv::Size& size) {
  if (tags.icc.empty() && tags.dpi_x == 0) return file;
  const std::string_view bytes = file;
  if (IsJpeg(bytes) && bytes.size() > kAfterJfif && bytes.substr(6).starts_with(kJfif))
    return JpegWithTags(std::move(file), tags);
  if (bytes.starts_with("RIFF") && bytes.substr(4).substr(0, 8).ends_with("WEBP"))
    return WebPWithTags(file, tags, size);
  if (bytes.starts_with(kPngSignature) && bytes.size() > kAfterPngHeader)
    return PngWithTags(std::move(file), tags);
  throw Error("tags", "go into a JPEG with JFIF, PNG or WebP (this file is none)");
}

}  // namespace skinmask
