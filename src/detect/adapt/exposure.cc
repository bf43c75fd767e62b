#include "detect/adapt/exposure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "skinmask/detect/adapt.h"

namespace skinmask {
namespace {

double LinearOf(double byte) {
  const double encoded = byte / 255;
  return encoded <= 0.04045 ? encoded / 12.92 : std::pow((encoded + 0.055) / 1.055, 2.4);
}

double EncodedOf(double light) {
  return light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
}

}  // namespace

double StopsOf(const cv::Mat& bgr, const ImageDecisionOptions& options) {
  std::array<std::size_t, 256> counts{};
  for (int y = 0; y < bgr.rows; ++y) {
    const std::uint8_t* pixel = bgr.ptr(y);
    for (int x = 0; x < bgr.cols; ++x, pixel += 3)
      ++counts[std::max({pixel[0], pixel[1], pixel[2]})];
  }
  const double share = options.exposed_share * static_cast<double>(bgr.total());
  int level = 0;
  for (auto sum = counts[0]; static_cast<double>(sum) < share && level < 255;)
    sum += counts[static_cast<std::size_t>(++level)];
  if (level == 0 || options.exposure == 0) return 0;
  return std::clamp(std::log2(options.exposure / LinearOf(level)), 0., options.max_stops);
}

std::vector<std::uint8_t> LightTable(double stops) {
  if (stops == 0) return {};
  std::vector<std::uint8_t> table(256);
  const double gain = std::exp2(stops);
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const double light = std::min(1., gain * LinearOf(static_cast<double>(byte)));
    table[byte] = static_cast<std::uint8_t>(std::lround(255 * EncodedOf(light)));
  }
  return table;
}

cv::Mat InLight(const cv::Mat& bgr, const std::vector<std::uint8_t>& light) {
  if (light.empty()) return bgr;
  cv::Mat lit;
  cv::LUT(bgr, light, lit);
  return lit;
}

const std::uint8_t* Adaptation::InLight(const std::uint8_t* bgr, int width) const {
  if (light.empty()) return bgr;
  thread_local std::vector<std::uint8_t> row;
  row.resize(3 * static_cast<std::size_t>(width));
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = light[bgr[i]];
  return row.data();
}

}  // namespace skinmask
