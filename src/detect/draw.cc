#include "skinmask/detect/draw.h"

#include <iterator>
#include <opencv2/imgproc.hpp>

#include "media/picture_type.h"

namespace skinmask {
namespace {

void RequirePair(const cv::Mat& bgr, const cv::Mat& mask) {
  RequireType(bgr, CV_8UC3, "image");
  RequirePicture(mask, CV_8UC1, bgr.size(), "mask");
}

}  // namespace

std::string ClassPalette(std::size_t count) {
  // Okabe and Ito's eight, which the colour-blind can tell apart, the positive class in orange and
  // the second in black; further classes take hues by the golden angle.
  static constexpr unsigned char kFirst[][3] = {{230, 159, 0}, {0, 0, 0},      {86, 180, 233},
                                                {0, 158, 115}, {240, 228, 66}, {0, 114, 178},
                                                {213, 94, 0},  {204, 121, 167}};
  std::string rgb;
  for (std::size_t i = 0; i < count; ++i) {
    if (i < std::size(kFirst)) {
      rgb.append(std::begin(kFirst[i]), std::end(kFirst[i]));
      continue;
    }
    const cv::Mat3b hsv(1, 1,
                        cv::Vec3b(static_cast<std::uint8_t>(i * 69 % 180), 160,
                                  static_cast<std::uint8_t>(i % 2 ? 230 : 160)));
    cv::Mat3b color;
    cv::cvtColor(hsv, color, cv::COLOR_HSV2RGB);
    rgb.append(color(0, 0).val, color(0, 0).val + 3);
  }
  return rgb;
}

cv::Mat InPalette(const cv::Mat& indices, const std::string& rgb) {
  RequireType(indices, CV_8UC1, "indices");
  cv::Mat table(1, 256, CV_8UC3, cv::Scalar()), picture, three;
  for (std::size_t i = 0; i < rgb.size() / 3; ++i)
    for (std::size_t c = 0; c < 3; ++c)
      table.data[3 * i + c] = static_cast<std::uint8_t>(rgb[3 * i + 2 - c]);
  cv::cvtColor(indices, three, cv::COLOR_GRAY2BGR);
  cv::LUT(three, table, picture);
  return picture;
}

cv::Mat DrawOverlay(const cv::Mat& bgr, const cv::Mat& mask) {
  RequirePair(bgr, mask);
  constexpr double kDimmed = 0.3;
  const cv::Scalar kBorderGreen(64, 255, 64);
  cv::Mat overlay, grown;
  bgr.convertTo(overlay, CV_8U, kDimmed);
  bgr.copyTo(overlay, mask);
  cv::dilate(mask, grown, cv::getStructuringElement(cv::MORPH_CROSS, {3, 3}));
  overlay.setTo(kBorderGreen, grown & ~mask);
  return overlay;
}

cv::Mat CutOut(const cv::Mat& bgr, const cv::Mat& mask) {
  RequirePair(bgr, mask);
  cv::Mat bgra;
  cv::merge(std::vector<cv::Mat>{bgr, mask}, bgra);
  return bgra;
}

cv::Mat BlackOut(const cv::Mat& bgr, const cv::Mat& mask) {
  RequirePair(bgr, mask);
  cv::Mat result(bgr.size(), CV_8UC3, cv::Scalar());
  bgr.copyTo(result, mask);
  return result;
}

}  // namespace skinmask
