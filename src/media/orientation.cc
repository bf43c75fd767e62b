#include "media/orientation.h"

#include <cstddef>

#include "media/jpeg_segments.h"
#include "media/tiff_directory.h"

namespace skinmask {
namespace {

// Of one directory's entry of tag 0x0112, a number of 1, 2 or 4 bytes; 0 where it says none.
std::size_t ValueOf(const TiffDirectory& tiff, std::size_t entry) {
  constexpr std::size_t kByte = 1, kShort = 3, kLong = 4, kSigned = 5;  // from type to type
  const std::size_t type = tiff.TypeOf(entry), count = tiff.CountOf(entry);
  const std::size_t plain = type > kSigned ? type - kSigned : type;
  const std::size_t size = plain == kByte ? 1 : plain == kShort ? 2 : plain == kLong ? 4 : 0;
  if (size == 0 || count == 0) return 0;
  const bool is_inside = count <= 4 / size;  // of the entry, else where it says
  return tiff.Number(is_inside ? entry + 8 : tiff.Number(entry + 8, 4), size);
}

// EXIF tag 0x0112, 1..8; 1 where there is none. It stands in the first directory, and nothing else
// is looked at: what that leads to is the author's to choose, a thousand times the same, too.
std::size_t TagOf(std::string_view bytes) {
  constexpr std::size_t kTag = 0x0112;
  const TiffDirectory tiff(ExifOf(bytes));
  const std::size_t entry = tiff.Find(kTag), value = entry > 0 ? ValueOf(tiff, entry) : 1;
  return value >= 1 && value <= 8 ? value : 1;
}

}  // namespace

std::string_view ExifOf(std::string_view bytes) {
  constexpr int kApp1 = 0xE1;
  if (bytes.starts_with(kExifHeader)) return bytes.substr(kExifHeader.size());
  if (!bytes.starts_with("\xFF\xD8")) return bytes;
  std::string_view exif;
  ForJpegSegments(bytes, [&](int marker, std::string_view content) {
    const bool is_exif = marker == kApp1 && content.starts_with(kExifHeader);
    if (is_exif) exif = content.substr(kExifHeader.size());
    return !is_exif;
  });
  return exif;
}

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
