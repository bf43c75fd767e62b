// EXIF data in a JPEG (first byte even) or PNG (odd): whatever they say, the picture keeps its
// pixels, in one of the eight orientations.
#include <opencv2/imgproc.hpp>

#include "fuzz/input.h"
#include "fuzz/pictures.h"

namespace skinmask {
namespace {

// No two pixels alike, and none of the symmetries.
cv::Mat Picture() {
  cv::Mat image(2, 3, CV_8UC3);
  for (int i = 0; i < 18; ++i) image.data[i] = static_cast<std::uint8_t>(14 * i + 5);
  return image;
}

std::string BigEndian(std::size_t value, int bytes) {
  std::string text;
  while (bytes-- > 0) text += static_cast<char>(value >> 8 * bytes);
  return text;
}

// With an APP1 segment behind the start (Exif 2.32, 4.5.4).
std::string Jpeg(std::string_view exif) {
  static const std::string kPlain = EncodeJpeg(Picture(), 95);
  const std::string body = std::string("Exif\0\0", 6) + std::string(exif);
  return kPlain.substr(0, 2) + "\xFF\xE1" + BigEndian(body.size() + 2, 2) + body + kPlain.substr(2);
}

// With an eXIf chunk behind IHDR.
std::string Png(std::string_view exif) {
  static const std::string kPlain = EncodePng(Picture());
  constexpr std::size_t kHead = 8 + 25;
  return fuzz::WithRightSums(kPlain.substr(0, kHead) + BigEndian(exif.size(), 4) + "eXIf" +
                             std::string(exif) + std::string(4, '\0') + kPlain.substr(kHead));
}

bool Equal(const cv::Mat& a, const cv::Mat& b) {
  return a.size() == b.size() && cv::norm(a, b, cv::NORM_INF) == 0;
}

bool IsTurned(const cv::Mat& image, const cv::Mat& plain) {
  cv::Mat turned;
  cv::transpose(plain, turned);
  for (const cv::Mat& one : {plain, turned}) {
    if (Equal(image, one)) return true;
    for (const int code : {-1, 0, 1}) {
      cv::Mat flipped;
      cv::flip(one, flipped, code);
      if (Equal(image, flipped)) return true;
    }
  }
  return false;
}

}  // namespace
}  // namespace skinmask

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace skinmask;
  fuzz::Input input(data, size);
  const bool png = input.Byte() & 1;
  const std::string_view exif = input.Take(60000);
  const std::string bytes = png ? Png(exif) : Jpeg(exif);
  static const cv::Mat kPlain[2] = {DecodeImage(EncodeJpeg(Picture(), 95), "plain"), Picture()};
  cv::Mat image;
  const bool decoded = fuzz::Succeeds([&] { image = DecodeImage(bytes, "exif"); });
  fuzz::Require(decoded, "EXIF data do not make a picture unreadable");
  fuzz::Require(IsTurned(image, kPlain[png]), "a picture keeps its pixels");
  return 0;
}
