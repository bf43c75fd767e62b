// Takes a HEIC or AVIF apart (ISO/IEC 14496-12 and 23008-12), as far as its picture needs it: one
// coded image, or a grid of them. All else (thumbnails, alpha, depth, EXIF, overlays, images
// derived from images) is not looked at. libheif never sees the file itself: each coded image is
// handed to it as a file of its own, which is written here.
#pragma once

#include <cstdint>
#include <functional>
#include <opencv2/core.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "media/image_codec.h"

namespace skinmask {

inline constexpr std::size_t kHeifBoxHeader = 8;  // a length and a type

// One coded image. The views are into the file.
struct CodedItem {
  std::string type;                          // hvc1, av01
  PictureSize size;                          // 'ispe': as coded, before it is turned
  std::vector<std::string_view> properties;  // whole boxes, in their order
  std::vector<std::string_view> data;        // one after the other
};

struct HeifPicture {
  PictureSize size;                     // as stored, before it is turned
  std::int64_t columns = 0, rows = 0;   // of a grid; 0 for one coded image
  std::vector<CodedItem> tiles;         // row by row, all of one size
  std::string_view profile;             // of its colours, as ICC; empty: none
  std::vector<std::string_view> turns;  // of a grid: its boxes irot, imir and clap, in order
};

// The picture of a file. Throws Error for what is damaged, or is of another kind.
HeifPicture ReadHeifPicture(std::string_view file, std::string_view subject);

// A file with that image alone.
std::string HeifFileOf(const CodedItem& item);

// The picture, CV_8UC3 and upright, of images that `decode` makes of such files. Throws Error where
// they are not what the file says.
cv::Mat JoinTiles(const HeifPicture& picture,
                  const std::function<cv::Mat(const std::string& file)>& decode,
                  std::string_view subject);

}  // namespace skinmask
