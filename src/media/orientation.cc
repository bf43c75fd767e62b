#include "media/orientation.h"

#include <libexif/exif-data.h>

#include <algorithm>
#include <cstdint>
#include <memory>

namespace skinmask {
namespace {

// Where the pixels of a JPEG begin; the size of what is none, or is made otherwise.
std::size_t HeaderSize(std::string_view bytes) {
  using namespace std::string_view_literals;
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
  if (!bytes.starts_with("\xFF\xD8"sv)) return bytes.size();
  std::size_t at = 2;
  constexpr int kStartOfScan = 0xDA, kFill = 0xFF;
  while (at + 4 <= bytes.size() && byte(at) == 0xFF && byte(at + 1) != kFill) {
    if (byte(at + 1) == kStartOfScan) return at;
    at += 2 + (std::size_t{byte(at + 2)} << 8 | byte(at + 3));
  }
  return bytes.size();
}

// EXIF tag 0x0112, 1..8; 1 where there is none. Takes a JPEG, or EXIF data with its header.
int TagOf(std::string_view bytes) {
  // EXIF lives in an APP1 segment near the start; most files without one are told apart by this.
  constexpr std::size_t kSearched = 1 << 18;
  if (bytes.substr(0, std::min(kSearched, HeaderSize(bytes))).find(kExifHeader) == bytes.npos)
    return 1;
  const std::unique_ptr<ExifData, decltype(&exif_data_unref)> exif(
      exif_data_new_from_data(reinterpret_cast<const unsigned char*>(bytes.data()),
                              static_cast<unsigned>(bytes.size())),
      exif_data_unref);
  if (!exif) return 1;
  const ExifEntry* entry = exif_content_get_entry(exif->ifd[EXIF_IFD_0], EXIF_TAG_ORIENTATION);
  if (!entry || entry->format != EXIF_FORMAT_SHORT || entry->components < 1) return 1;
  const int value = exif_get_short(entry->data, exif_data_get_byte_order(exif.get()));
  return value >= 1 && value <= 8 ? value : 1;
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
