// Parses a HEIC or AVIF (ISO/IEC 14496-12 and 23008-12) as far as its picture needs: one coded
// image, or a grid of them. Everything else (thumbnails, alpha, depth, EXIF, overlays, derived
// images) is ignored. libheif never gets the file itself: each coded image is passed to it as a new
// file, which is written here.
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

// A coded image. The views point into the file.
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
  std::string_view profile;             // the ICC profile of its colours; may be empty
  std::vector<std::string_view> turns;  // for a grid: its boxes irot, imir and clap, in order
};

// Reads the picture of a file. Throws Error for damaged files and unsupported kinds.
HeifPicture ReadHeifPicture(std::string_view file, std::string_view subject);

// Makes a file that contains only this image.
std::string HeifFileOf(const CodedItem& item);

// Returns the upright picture, CV_8UC3, joined from the images that `decode` makes of such files.
// Throws Error if their sizes differ from those in the file.
cv::Mat JoinTiles(const HeifPicture& picture,
                  const std::function<cv::Mat(const std::string& file)>& decode,
                  std::string_view subject);

}  // namespace skinmask
