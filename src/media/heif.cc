#include "media/heif.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "media/file_bytes.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

std::string BoxOf(std::string_view type, const std::string& content) {
  return BigEndianBytes(content.size() + kHeifBoxHeader, 4) + std::string(type) + content;
}

std::string FullBoxOf(std::string_view type, int version, const std::string& content) {
  return BoxOf(type, BigEndianBytes(static_cast<std::uint64_t>(version) << 24, 4) + content);
}

// The number at offset `at` of the box's content.
double BoxNumberAt(std::string_view box, std::size_t at) {
  return static_cast<std::int32_t>(BigEndian(box.substr(8 + at, 4)));
}

// Crops to the clean aperture (ISO/IEC 14496-12, 12.1.4), which is given by size and offset of the
// centre, as fractions.
cv::Mat Cropped(const cv::Mat& picture, std::string_view clap) {
  if (clap.size() < 8 + 32) return {};
  // Rounds as libheif does: half a column down, half a row up.
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

// Applies a transformation box of a grid; returns an empty picture for a damaged box.
cv::Mat Turned(const cv::Mat& picture, std::string_view box) {
  const std::string_view type = box.substr(4, 4);
  if (type == "clap") return Cropped(picture, box);
  if (box.size() < 9) return {};
  // A flip from top to bottom is one from left to right and a half turn. Quarter turns go
  // anticlockwise.
  if (type == "imir") return Upright(picture, {box[8] & 1 ? 0 : 180, true});
  return Upright(picture, {(4 - (box[8] & 3)) % 4 * 90, false});
}

}  // namespace

std::string HeifFileOf(const CodedItem& item) {
  std::string properties, places, data;
  std::size_t count = 0;
  for (const std::string_view box : item.properties) {
    properties += box;
    // The boxes of the decoder's configuration and of transformations are essential.
    constexpr std::string_view kEssential[] = {"hvcC", "av1C", "irot", "imir", "clap"};
    const bool essential = std::ranges::find(kEssential, box.substr(4, 4)) != std::end(kEssential);
    places += static_cast<char>((essential ? 0x80u : 0u) | ++count);
  }
  for (const std::string_view part : item.data) data += part;
  const std::string one = BigEndianBytes(1, 2), none(12, '\0');
  const std::string brand = item.type == "hvc1" ? "heic" : "avif";
  const std::string head = BoxOf("ftyp", brand + BigEndianBytes(0, 4) + "mif1" + brand);
  const std::string info =
      FullBoxOf("hdlr", 0, BigEndianBytes(0, 4) + "pict" + none + BigEndianBytes(0, 1)) +
      FullBoxOf("pitm", 0, one) +
      FullBoxOf("iinf", 0,
                one + FullBoxOf("infe", 2,
                                one + BigEndianBytes(0, 2) + item.type + BigEndianBytes(0, 1))) +
      BoxOf("iprp", BoxOf("ipco", properties) +
                        FullBoxOf("ipma", 0,
                                  BigEndianBytes(1, 4) + one + BigEndianBytes(count, 1) + places));
  const auto meta = [&](std::uint64_t start) {
    return FullBoxOf(
        "meta", 0,
        info + FullBoxOf("iloc", 0,
                         BigEndianBytes(0x4400, 2) + one + one + BigEndianBytes(0, 2) + one +
                             BigEndianBytes(start, 4) + BigEndianBytes(data.size(), 4)));
  };
  return head + meta(head.size() + meta(0).size() + kHeifBoxHeader) + BoxOf("mdat", data);
}

// Each tile is decoded alone and copied to its place, so that nothing else reaches the picture.
cv::Mat JoinTiles(const HeifPicture& picture,
                  const std::function<cv::Mat(const std::string& file)>& decode,
                  std::string_view subject) {
  // Of a single image libheif also applies the transformations.
  if (picture.columns == 0) return decode(HeifFileOf(picture.tiles[0]));
  cv::Mat all(static_cast<int>(picture.size.height), static_cast<int>(picture.size.width), CV_8UC3,
              cv::Scalar());
  for (std::size_t i = 0; i < picture.tiles.size(); ++i) {
    const CodedItem& item = picture.tiles[i];
    const cv::Mat tile = decode(HeifFileOf(item));
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

}  // namespace skinmask
