// One table has all colour spaces; Features are what a model sees of a pixel in one of them.
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
// Affine spaces are never rounded. The 8-bit spaces are cv::cvtColor's, to the letter.
struct ColorSpace {
  enum class Carrier { kBytes, kChromaticity, kHsv, kLab, kLuv };
  std::string_view name;
  std::array<std::string_view, 3> channels;  // names, of which the first `dimension` count
  int dimension;
  Carrier carrier;
  std::array<std::array<double, 3>, 3> matrix;  // a row per channel, a column per carrier
  std::array<double, 3> offset;
  bool affine() const { return carrier == Carrier::kBytes; }
};

// All spaces: BGR YCrCb YUV YIQ YCgCo opponent I1I2I3 rg HSV Lab Luv. docs/math.md has the
// equations.
std::span<const ColorSpace> ColorSpaces();

// A space and the channels of it that a model uses, in the model's order.
class Features {
 public:
  // BGR, all channels.
  Features();
  // Names as in the table, upper and lower case alike; no channel names means all of them. Throws
  // Error that lists what there is; also for a channel named twice.
  Features(std::string_view space, std::span<const std::string> channels);

  const ColorSpace& space() const { return *space_; }
  int size() const { return static_cast<int>(channels_.size()); }  // 1..3
  std::vector<std::string> channel_names() const;
  const std::vector<int>& channels() const { return channels_; }  // their places in the space

  // features = Matrix() * carrier + Offset(); shapes size() x 3 and size().
  FeatureMatrix Matrix() const;
  FeatureVector Offset() const;
  // The least and the greatest value that each feature can have, of any colour.
  std::pair<FeatureVector, FeatureVector> Range() const;

 private:
  const ColorSpace* space_;
  std::vector<int> channels_;
};

// Carriers of `count` pixels: bgr holds 3 * count bytes, carrier takes 3 * count integers (unused
// entries are 0). Each pixel's answer depends on that pixel alone.
void CarrierRow(const ColorSpace& space, const std::uint8_t* bgr, std::size_t count,
                std::int32_t* carrier);

}  // namespace skinmask
