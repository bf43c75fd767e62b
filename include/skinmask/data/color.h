// The table of all colour spaces, and Features: the channels of a pixel that a model uses.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace [[gnu::visibility("default")]] skinmask {

// Vectors and matrices of at most three features; no heap.
using FeatureVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 3, 1>;
using FeatureMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3, 3>;

// A colour space maps a pixel's bytes (b, g, r) to `dimension` real channels through three
// integers, the pixel's *carrier*, whose sums are exact:
//   affine spaces      carrier = (b, g, r);                 channels = matrix * carrier + offset
//   8-bit spaces       carrier = OpenCV's 8-bit conversion;  channels = carrier
//   rg (chromaticity)  carrier = round(2^20 * (r, g) / (r + g + b)); channels = carrier / 2^20
// Affine spaces are never rounded. The 8-bit spaces are exactly those of cv::cvtColor.
struct ColorSpace {
  enum class Carrier { kBytes, kChromaticity, kHsv, kLab, kLuv };
  std::string_view name;
  std::array<std::string_view, 3> channels;  // names; only the first `dimension` are used
  int dimension;
  Carrier carrier;
  std::array<std::array<double, 3>, 3> matrix;  // a row per channel, a column per carrier
  std::array<double, 3> offset;
  std::array<double, 3> limits{255, 255, 255};  // of the carriers; each is at least 0
  bool affine() const { return carrier == Carrier::kBytes; }
};

// All spaces: BGR YCrCb YUV YIQ YCgCo opponent I1I2I3 rg HSV Lab Luv. docs/math.md has the
// equations.
std::span<const ColorSpace> ColorSpaces();

// A colour space and the channels of it that a model uses, in the model's order.
class Features {
 public:
  // BGR, all channels.
  Features();
  // Names are those of the table; case is ignored. No channel names mean all channels. Throws
  // Error, which lists the valid names, for an unknown name and for a channel that is named twice.
  Features(std::string_view space, std::span<const std::string> channels);

  const ColorSpace& space() const { return *space_; }
  int size() const { return static_cast<int>(channels_.size()); }  // 1..3
  std::vector<std::string> channel_names() const;
  const std::vector<int>& channels() const { return channels_; }  // their indices in the space

  // features = Matrix() * carrier + Offset(); shapes size() x 3 and size().
  FeatureMatrix Matrix() const;
  FeatureVector Offset() const;
  // The least and the greatest value of each feature over all colours.
  std::pair<FeatureVector, FeatureVector> Range() const;

 private:
  const ColorSpace* space_;
  std::vector<int> channels_;
};

// Computes the carriers of `count` pixels: bgr holds 3 * count bytes, and carrier receives 3 *
// count integers (unused entries are 0). Each pixel's carrier depends on that pixel only.
void CarrierRow(const ColorSpace& space, const std::uint8_t* bgr, std::size_t count,
                std::int32_t* carrier);

}  // namespace skinmask
