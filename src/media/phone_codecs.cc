#include "media/phone_codecs.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "media/heif_items.h"
#include "media/late_module.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

using PhoneDecoder = decltype(&skinmask_decode_heif);

cv::Mat Decode(PhoneDecoder decode, std::string_view bytes, std::string_view subject,
               const CheckPicture& check) {
  cv::Mat picture;
  std::string problem;
  decode(bytes, check, picture, problem);
  if (!problem.empty()) throw Error(subject, problem);
  cv::cvtColor(picture, picture, cv::COLOR_RGB2BGR);
  return picture;
}

PhoneDecoder Find(const char* module, const char* symbol) {
  return reinterpret_cast<PhoneDecoder>(FindInModule(module, symbol));
}

#ifdef SKINMASK_HEIF
// The number at `at` of a box's content.
double BoxNumberAt(std::string_view box, std::size_t at) {
  std::uint32_t value = 0;
  for (const char c : box.substr(8 + at, 4)) value = value << 8 | static_cast<std::uint8_t>(c);
  return static_cast<std::int32_t>(value);
}

// The clean aperture (ISO/IEC 14496-12, 12.1.4): size and offset of the middle, as fractions.
cv::Mat Cropped(const cv::Mat& picture, std::string_view clap) {
  if (clap.size() < 8 + 32) return {};
  // As libheif rounds: half a column down, and half a row up.
  const auto range = [&](std::size_t at, int all, double up) {
    const double size = BoxNumberAt(clap, at) / BoxNumberAt(clap, at + 4);
    const double left = BoxNumberAt(clap, at + 16) / BoxNumberAt(clap, at + 20) + (all - size) / 2;
    if (!(size >= 1 && size <= all && left > -all && left < all)) return cv::Range(0, 0);
    const int from = static_cast<int>(left + up);
    const int last = static_cast<int>(std::floor(from + size - 1 + 0.5));
    return cv::Range(std::max(0, from), std::min(all, last + 1));
  };
  const cv::Range columns = range(0, picture.cols, 0), rows = range(8, picture.rows, 0.5);
  return columns.size() < 1 || rows.size() < 1 ? cv::Mat() : picture(rows, columns).clone();
}

// What a grid's own box does with the picture; empty for a damaged box.
cv::Mat Turned(const cv::Mat& picture, std::string_view box) {
  const std::string_view type = box.substr(4, 4);
  if (type == "clap") return Cropped(picture, box);
  if (box.size() < 9) return {};
  cv::Mat turned;
  constexpr int kQuarters[] = {cv::ROTATE_90_COUNTERCLOCKWISE, cv::ROTATE_180,
                               cv::ROTATE_90_CLOCKWISE};
  if (type == "imir")
    cv::flip(picture, turned, box[8] & 1 ? 1 : 0);
  else if (const int quarters = box[8] & 3)
    cv::rotate(picture, turned, kQuarters[quarters - 1]);
  else
    turned = picture;
  return turned;
}

// Tile by tile, into memory that each covers with what it decodes to, and nothing else.
cv::Mat DecodeGrid(PhoneDecoder decode, const HeifPicture& picture, std::string_view subject) {
  cv::Mat all(static_cast<int>(picture.size.height), static_cast<int>(picture.size.width), CV_8UC3,
              cv::Scalar());
  for (std::size_t i = 0; i < picture.tiles.size(); ++i) {
    const CodedItem& item = picture.tiles[i];
    const cv::Mat tile = Decode(decode, HeifFileOf(item), subject, [](const auto&, auto) {});
    if (tile.cols != item.size.width || tile.rows != item.size.height)
      throw Error(subject,
                  "is a damaged HEIC or AVIF: a tile has another size than its header says");
    const auto columns = static_cast<std::size_t>(picture.columns);
    const int x = static_cast<int>(i % columns) * tile.cols,
              y = static_cast<int>(i / columns) * tile.rows;
    const cv::Size size(std::min(tile.cols, all.cols - x), std::min(tile.rows, all.rows - y));
    tile(cv::Rect({}, size)).copyTo(all(cv::Rect({x, y}, size)));
  }
  for (const std::string_view turn : picture.turns) {
    all = Turned(all, turn);
    if (all.empty()) throw Error(subject, "is a damaged HEIC or AVIF: it cannot be turned");
  }
  return all;
}
#endif

}  // namespace

cv::Mat DecodeHeif(std::string_view bytes, std::string_view subject, const CheckPicture& check) {
#ifdef SKINMASK_HEIF
  static const PhoneDecoder decode = Find("skinmask-heif.so", "skinmask_decode_heif");
  const HeifPicture picture = ReadHeifPicture(bytes, subject);
  check(picture.size, picture.size.width * picture.size.height);
  if (picture.columns > 0) return DecodeGrid(decode, picture, subject);
  return Decode(decode, HeifFileOf(picture.tiles[0]), subject, [](const auto&, auto) {});
#else
  throw Error(subject,
              "is HEIC or AVIF, which this build does not read (it was made without libheif)");
#endif
}

cv::Mat DecodeJxl(std::string_view bytes, std::string_view subject, const CheckPicture& check) {
#ifdef SKINMASK_JXL
  static const PhoneDecoder decode = Find("skinmask-jxl.so", "skinmask_decode_jxl");
  return Decode(decode, bytes, subject, check);
#else
  throw Error(subject, "is JPEG XL, which this build does not read (it was made without libjxl)");
#endif
}

}  // namespace skinmask
