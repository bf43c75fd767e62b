// Small pictures and their encodings.
#pragma once

#include <opencv2/imgcodecs.hpp>
#include <string>
#include <vector>

namespace skinmask::testing {

// No symmetry, smooth enough for JPEG.
inline cv::Mat Gradient(int width, int height) {
  cv::Mat image(height, width, CV_8UC3);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      image.at<cv::Vec3b>(y, x) = {static_cast<std::uint8_t>(255 * x / width),
                                   static_cast<std::uint8_t>(255 * y / height),
                                   static_cast<std::uint8_t>(128 + 127 * x * y / (width * height))};
  return image;
}

inline std::string Encode(const std::string& extension, const cv::Mat& image,
                          const std::vector<int>& parameters = {}) {
  std::vector<unsigned char> bytes;
  cv::imencode(extension, image, bytes, parameters);
  return std::string(bytes.begin(), bytes.end());
}

// A JPEG with an EXIF segment that holds the orientation alone, in either byte order.
inline std::string WithOrientation(const std::string& jpeg, int orientation,
                                   bool big_endian = false) {
  const auto number = [&](unsigned value, int bytes) {
    std::string s;
    for (int i = 0; i < bytes; ++i)
      s += static_cast<char>(value >> 8 * (big_endian ? bytes - 1 - i : i));
    return s;
  };
  const std::string tiff = (big_endian ? "MM" : "II") + number(42, 2) + number(8, 4) +
                           number(1, 2) + number(0x0112, 2) + number(3, 2) + number(1, 4) +
                           number(static_cast<unsigned>(orientation), 2) + number(0, 2) +
                           number(0, 4);
  const std::string body = std::string("Exif\0\0", 6) + tiff;
  const std::size_t length = body.size() + 2;
  return jpeg.substr(0, 2) + "\xFF\xE1" + static_cast<char>(length >> 8) +
         static_cast<char>(length) + body + jpeg.substr(2);
}

}  // namespace skinmask::testing
