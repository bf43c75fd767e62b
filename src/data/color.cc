// This is the only file of the core that includes OpenCV, for cvtColor only.
#include "skinmask/data/color.h"

#include <algorithm>
#include <opencv2/imgproc.hpp>

#include "base/nearest.h"
#include "base/parse.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

using Carrier = ColorSpace::Carrier;
using Matrix3 = std::array<std::array<double, 3>, 3>;

constexpr std::int32_t kChromaticityScale = 1 << 20;

// Y of ITU-R BT.601, columns b, g, r; and `scale` * (colour - Y), colour an index into b, g, r.
constexpr std::array<double, 3> kLuma{0.114, 0.587, 0.299};
constexpr std::array<double, 3> LumaDifference(double scale, int colour) {
  std::array<double, 3> row{-scale * kLuma[0], -scale * kLuma[1], -scale * kLuma[2]};
  row[static_cast<std::size_t>(colour)] += scale;
  return row;
}

constexpr double kRoot2 = 1.41421356237309504880, kRoot3 = 1.73205080756887729353,
                 kRoot6 = 2.44948974278317809820;
constexpr Matrix3 kIdentity{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix3 kFixedPoint{
    {{1. / kChromaticityScale, 0, 0}, {0, 1. / kChromaticityScale, 0}, {}}};

// A space of three channels that are affine in the bytes.
constexpr ColorSpace Affine(std::string_view name, const std::array<std::string_view, 3>& channels,
                            const Matrix3& matrix, const std::array<double, 3>& offset = {}) {
  return {name, channels, 3, Carrier::kBytes, matrix, offset};
}

// Coefficients: YCrCb and YUV as documented for cv::cvtColor (offset 128); YIQ as in NTSC 1953
// (FCC); YCgCo as in ITU-T H.264 annex E; opponent as in van de Sande et al. 2010; I1I2I3 as in
// Ohta et al. 1980.
constexpr ColorSpace kSpaces[] = {
    Affine("BGR", {"B", "G", "R"}, kIdentity),
    Affine("YCrCb", {"Y", "Cr", "Cb"},
           {{kLuma, LumaDifference(0.713, 2), LumaDifference(0.564, 0)}}, {0, 128, 128}),
    Affine("YUV", {"Y", "U", "V"}, {{kLuma, LumaDifference(0.492, 0), LumaDifference(0.877, 2)}},
           {0, 128, 128}),
    Affine("YIQ", {"Y", "I", "Q"},
           {{kLuma, {-0.3213, -0.2746, 0.5959}, {0.3111, -0.5227, 0.2115}}}),
    Affine("YCgCo", {"Y", "Cg", "Co"}, {{{0.25, 0.5, 0.25}, {-0.25, 0.5, -0.25}, {-0.5, 0, 0.5}}}),
    Affine("opponent", {"O1", "O2", "O3"},
           {{{0, -1 / kRoot2, 1 / kRoot2},
             {-2 / kRoot6, 1 / kRoot6, 1 / kRoot6},
             {1 / kRoot3, 1 / kRoot3, 1 / kRoot3}}}),
    Affine("I1I2I3", {"I1", "I2", "I3"},
           {{{1. / 3, 1. / 3, 1. / 3}, {-0.5, 0, 0.5}, {-0.25, 0.5, -0.25}}}),
    {"rg", {"r", "g"}, 2, Carrier::kChromaticity, kFixedPoint, {}, {1 << 20, 1 << 20, 0}},
    // OpenCV halves the degrees of H.
    {"HSV", {"H", "S", "V"}, 3, Carrier::kHsv, kIdentity, {}, {179, 255, 255}},
    {"Lab", {"L", "a", "b"}, 3, Carrier::kLab, kIdentity, {}},
    {"Luv", {"L", "u", "v"}, 3, Carrier::kLuv, kIdentity, {}},
};

// part / whole in fixed point, rounded half up; exact because it is computed in integers.
std::int32_t RoundedRatio(std::int32_t part, std::int32_t whole) {
  return (2 * kChromaticityScale * part + whole) / (2 * whole);
}

// Chromaticities in fixed point. Black gets the chromaticity of grey.
void Chromaticity(const std::uint8_t* bgr, std::size_t count, std::int32_t* carrier) {
  for (std::size_t i = 0; i < count; ++i, bgr += 3, carrier += 3) {
    const std::int32_t sum = bgr[0] + bgr[1] + bgr[2];
    carrier[0] = sum ? RoundedRatio(bgr[2], sum) : RoundedRatio(1, 3);
    carrier[1] = sum ? RoundedRatio(bgr[1], sum) : RoundedRatio(1, 3);
    carrier[2] = 0;
  }
}

int OpenCvCode(Carrier carrier) {
  if (carrier == Carrier::kHsv) return cv::COLOR_BGR2HSV;
  return carrier == Carrier::kLab ? cv::COLOR_BGR2Lab : cv::COLOR_BGR2Luv;
}

}  // namespace

std::span<const ColorSpace> ColorSpaces() { return kSpaces; }

Features::Features() : space_(&kSpaces[0]), channels_{0, 1, 2} {}

Features::Features(std::string_view space, std::span<const std::string> channels) {
  const auto found =
      std::ranges::find_if(kSpaces, [&](const ColorSpace& s) { return SameName(s.name, space); });
  if (found == std::end(kSpaces)) {
    std::vector<std::string> names;
    for (const ColorSpace& s : kSpaces) names.emplace_back(s.name);
    throw Error("colour space '" + std::string(space) + "'", UnknownAmong(space, names));
  }
  space_ = found;
  for (const std::string& name : channels) {
    int channel = 0;
    while (channel < space_->dimension && !SameName(space_->channels[channel], name)) ++channel;
    std::string there;
    for (int c = 0; c < space_->dimension; ++c) there += " " + std::string(space_->channels[c]);
    if (channel == space_->dimension)
      throw Error("channel '" + name + "'",
                  "is not in " + std::string(space_->name) + " (which has:" + there + ")");
    if (std::count(channels_.begin(), channels_.end(), channel))
      throw Error("channel '" + name + "'", "is named twice (each channel counts once)");
    channels_.push_back(channel);
  }
  if (channels.empty())
    for (int c = 0; c < space_->dimension; ++c) channels_.push_back(c);
}

std::vector<std::string> Features::channel_names() const {
  std::vector<std::string> names;
  for (int c : channels_) names.emplace_back(space_->channels[static_cast<std::size_t>(c)]);
  return names;
}

FeatureMatrix Features::Matrix() const {
  FeatureMatrix matrix(size(), 3);
  for (int i = 0; i < size(); ++i)
    for (int j = 0; j < 3; ++j) matrix(i, j) = space_->matrix[channels_[i]][j];
  return matrix;
}

FeatureVector Features::Offset() const {
  FeatureVector offset(size());
  for (int i = 0; i < size(); ++i) offset(i) = space_->offset[channels_[i]];
  return offset;
}

std::pair<FeatureVector, FeatureVector> Features::Range() const {
  // An affine function has its extremes at corners of the carriers' box.
  const FeatureMatrix matrix = Matrix();
  FeatureVector low = Offset(), high = Offset();
  for (int i = 0; i < size(); ++i)
    for (int j = 0; j < 3; ++j)
      (matrix(i, j) < 0 ? low : high)(i) += matrix(i, j) * space_->limits[j];
  return {low, high};
}

void CarrierRow(const ColorSpace& space, const std::uint8_t* bgr, std::size_t count,
                std::int32_t* carrier) {
  if (space.affine()) {
    std::copy(bgr, bgr + 3 * count, carrier);
  } else if (space.carrier == Carrier::kChromaticity) {
    Chromaticity(bgr, count, carrier);
  } else {
    // Small enough for the stack, and for cvtColor not to start threads.
    constexpr std::size_t kBlock = 1024;
    std::uint8_t converted[3 * kBlock];
    for (std::size_t done = 0; done < count; done += kBlock) {
      const int n = static_cast<int>(std::min(kBlock, count - done));
      const cv::Mat in(1, n, CV_8UC3, const_cast<std::uint8_t*>(bgr + 3 * done));
      cv::Mat out(1, n, CV_8UC3, converted);
      cv::cvtColor(in, out, OpenCvCode(space.carrier));
      std::copy(converted, converted + 3 * n, carrier + 3 * done);
    }
  }
}

}  // namespace skinmask
