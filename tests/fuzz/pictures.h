// Pictures as inputs of fuzz targets.
#pragma once

#include <cstdlib>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <string>
#include <string_view>

#include "skinmask/media/image.h"

namespace skinmask::fuzz {

// Larger pictures only cost time. (The targets stay below the 16 million that fit the memory.)
inline constexpr std::uint64_t kMostPixels = 1 << 22;

// OpenCV's own limit, and its silence, before its decoders are loaded.
inline const bool kOpenCvLimited = [] {
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  return setenv("OPENCV_IO_MAX_IMAGE_PIXELS", std::to_string(kMostPixels).c_str(), 1) == 0;
}();

inline std::uint64_t BigEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<std::uint8_t>(c);
  return value;
}

// Whether the header of a PNG, or whatever may be a frame header of a JPEG (ITU-T T.81, B.2.2),
// tells of too large a picture.
inline bool IsLarge(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG") && bytes.size() >= 24)
    return BigEndian(bytes.substr(16, 4)) * BigEndian(bytes.substr(20, 4)) > kMostPixels;
  if (!IsJpeg(bytes)) return false;
  for (std::size_t at = 0; at + 9 <= bytes.size(); ++at) {
    const std::uint64_t marker = BigEndian(bytes.substr(at, 2));
    if (marker < 0xffc0 || marker > 0xffcf) continue;
    if (BigEndian(bytes.substr(at + 5, 2)) * BigEndian(bytes.substr(at + 7, 2)) > kMostPixels)
      return true;
  }
  return false;
}

// The formats that DecodeImage names, as their first bytes tell, and none that GDCM takes for its
// own (OpenCV asks it before some of the others).
inline bool IsOfKnownFormat(std::string_view b) {
  if (b.size() >= 132 && b.substr(128, 4) == "DICM") return false;
  const bool pnm = b.size() > 2 && b[0] == 'P' && b[1] >= '1' && b[1] <= '7';
  return IsJpeg(b) || b.starts_with("\x89PNG") || b.starts_with("BM") || pnm ||
         b.starts_with(std::string_view("II*\0", 4)) ||
         b.starts_with(std::string_view("MM\0*", 4)) ||
         (b.starts_with("RIFF") &&
          b.substr(std::min<std::size_t>(8, b.size())).starts_with("WEBP"));
}

// Sets the library's own limit where it has one.
template <class Options>
bool Limit(Options& options) {
  if constexpr (requires { options.max_pixels; }) {
    options.max_pixels = kMostPixels;
    return true;
  }
  return false;
}

// False where `bytes` are better not decoded: a library without limits would take all memory, or
// hand them to libraries that abort.
inline bool MayDecode(std::string_view bytes, DecodeOptions& options) {
  return Limit(options) || (!IsLarge(bytes) && IsOfKnownFormat(bytes));
}

// The same PNG with the right CRC for each of its chunks, which no mutation would find.
std::string WithRightSums(std::string_view png);

}  // namespace skinmask::fuzz
