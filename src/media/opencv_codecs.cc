#include "media/opencv_codecs.h"

#include "media/late_module.h"

namespace skinmask {
namespace {

constexpr char kModule[] = "skinmask-imgcodecs.so";

}  // namespace

ImageHeader ReadHeaderInModule(ImageFormat format, std::string_view bytes) {
  static auto* const read = reinterpret_cast<decltype(&skinmask_read_header)>(
      FindInModule(kModule, "skinmask_read_header"));
  ImageHeader header;
  read(format, bytes, header);
  return header;
}

cv::Mat DecodeInModule(ImageFormat format, std::string_view bytes, int flags) {
  static auto* const decode =
      reinterpret_cast<decltype(&skinmask_decode)>(FindInModule(kModule, "skinmask_decode"));
  cv::Mat image;
  decode(format, bytes, flags, image);
  return image;
}

std::string EncodeWebPInModule(const cv::Mat& image, int quality) {
  static auto* const encode = reinterpret_cast<decltype(&skinmask_encode_webp)>(
      FindInModule(kModule, "skinmask_encode_webp"));
  std::string bytes;
  encode(image, quality, bytes);
  return bytes;
}

}  // namespace skinmask
