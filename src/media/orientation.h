// Some pictures are stored turned, and EXIF data or the video say how they are to be seen.
#pragma once

#include <opencv2/core.hpp>
#include <string_view>

namespace skinmask {

// How a stored picture is turned to be seen.
struct Orientation {
  int rotation = 0;       // degrees clockwise: 0, 90, 180, 270
  bool mirrored = false;  // from left to right, before
};

inline constexpr std::string_view kExifHeader("Exif\0\0", 6);
// The TIFF structure that is EXIF data; empty where there is none. Takes a JPEG, whose segments
// before its pixels are looked at, or the data, with that header or without.
std::string_view ExifOf(std::string_view bytes);
// What EXIF says of it: as it is stored where there is none. Takes a JPEG, or EXIF data with that
// header or without.
Orientation ExifOrientation(std::string_view bytes);

// The picture as it is to be seen; itself where it is stored so.
cv::Mat Upright(const cv::Mat& stored, const Orientation& orientation);

}  // namespace skinmask
