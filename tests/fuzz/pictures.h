// Pictures as inputs of fuzz targets.
#pragma once

#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <string>
#include <string_view>

#include "skinmask/media/image.h"

namespace skinmask::fuzz {

// Larger pictures only cost time. (The targets stay below the 16 million that fit the memory.)
inline constexpr std::uint64_t kMaxPixels = 1 << 18;

// OpenCV's silence, before its decoders are loaded.
inline const bool kOpenCvSilent = [] {
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  return true;
}();

inline std::uint64_t BigEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<std::uint8_t>(c);
  return value;
}

// The same PNG with the right CRC for each of its chunks, which no mutation would find.
std::string WithRightSums(std::string_view png);

}  // namespace skinmask::fuzz
