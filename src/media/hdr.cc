#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "media/video_frame.h"

namespace skinmask {
namespace {

constexpr double kWhite = 203, kHlgDisplay = 1000;  // cd/m2

// Light of a display, in cd/m2, by PQ's EOTF (BT.2100, table 4).
double PqLight(double signal) {
  constexpr double kM1 = 2610. / 16384, kM2 = 2523. / 4096 * 128;
  constexpr double kC1 = 3424. / 4096, kC2 = 2413. / 4096 * 32, kC3 = 2392. / 4096 * 32;
  const double root = std::pow(signal, 1 / kM2);
  return 10000 * std::pow(std::max(root - kC1, 0.) / (kC2 - kC3 * root), 1 / kM1);
}

// Light of the scene, 0 to 1, by the inverse of HLG's OETF (BT.2100, table 5).
double HlgSceneLight(double signal) {
  constexpr double kA = 0.17883277, kB = 1 - 4 * kA;
  const double c = 0.5 - kA * std::log(4 * kA);
  return signal <= 0.5 ? signal * signal / 3 : (std::exp((signal - c) / kA) + kB) / 12;
}

// The values of a function at count equal steps from 0 to 1.
template <class Function>
std::vector<float> TableOf(int count, const Function& function) {
  std::vector<float> table;
  for (int i = 0; i < count; ++i)
    table.push_back(static_cast<float>(function(static_cast<double>(i) / (count - 1))));
  return table;
}

constexpr int kSteps = 1 << 16;

std::size_t StepOf(float value) {
  return static_cast<std::size_t>(std::clamp(value, 0.f, 1.f) * (kSteps - 1) + .5f);
}

std::uint8_t SdrByte(float light) {
  static const std::vector<float> bytes =
      TableOf(kSteps, [](double x) { return std::round(255 * std::pow(x, 1 / 2.4)); });
  return static_cast<std::uint8_t>(bytes[StepOf(light)]);
}

// HLG's OOTF (BT.2100, table 5): the factor from the scene's light to the display's, in units of
// white, by the scene's luminance.
float HlgGain(float luminance) {
  static const std::vector<float> gains =
      TableOf(kSteps, [](double y) { return kHlgDisplay / kWhite * std::pow(y, 0.2); });
  return gains[StepOf(luminance)];
}

// From linear R, G, B of these primaries to those of BT.709.
using Matrix = std::array<std::array<float, 3>, 3>;
constexpr Matrix kFrom2020 = {  // ITU-R BT.2087
    {{1.6605f, -.5876f, -.0728f}, {-.1246f, 1.1329f, -.0083f}, {-.0182f, -.1006f, 1.1187f}}};
constexpr Matrix kFromP3 = {  // SMPTE EG 432-1, with the white of BT.709
    {{1.2249f, -.2249f, 0}, {-.0421f, 1.0421f, 0}, {-.0196f, -.0786f, 1.0982f}}};
constexpr Matrix kNone = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

const Matrix& MatrixOf(AVColorPrimaries primaries) {
  return primaries == AVCOL_PRI_BT709      ? kNone
         : primaries == AVCOL_PRI_SMPTE432 ? kFromP3
                                           : kFrom2020;
}

}  // namespace

bool IsHdr(const AVFrame& frame) {
  return frame.color_trc == AVCOL_TRC_SMPTE2084 || frame.color_trc == AVCOL_TRC_ARIB_STD_B67;
}

void ToSdr(const AVFrame& of, cv::Mat bgr) {
  static const std::vector<float> pq = TableOf(256, [](double x) { return PqLight(x) / kWhite; });
  static const std::vector<float> hlg = TableOf(256, HlgSceneLight);
  const bool is_hlg = of.color_trc == AVCOL_TRC_ARIB_STD_B67;
  const Matrix& matrix = MatrixOf(of.color_primaries);
  const std::vector<float>& light = is_hlg ? hlg : pq;
  for (int y = 0; y < bgr.rows; ++y) {
    std::uint8_t* pixel = bgr.ptr(y);
    for (int x = 0; x < bgr.cols; ++x, pixel += 3) {
      float b = light[pixel[0]], g = light[pixel[1]], r = light[pixel[2]];
      if (is_hlg) {
        const float gain = HlgGain(.0593f * b + .6780f * g + .2627f * r);
        b *= gain;
        g *= gain;
        r *= gain;
      }
      for (std::size_t i = 0; i < 3; ++i)  // pixels are B, G, R
        pixel[2 - i] = SdrByte(matrix[i][0] * r + matrix[i][1] * g + matrix[i][2] * b);
    }
  }
}

}  // namespace skinmask
