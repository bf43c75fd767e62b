// An image without seeds is brought to the light that the model knows, and divided into skin and
// background at a valley of the histogram of its log-odds. A monochrome image, with seeds or
// without, is judged as its grey version.
#pragma once

#include <array>
#include <cstdint>
#include <opencv2/core.hpp>
#include <optional>
#include <vector>

#include "skinmask/detect/adapt_options.h"

namespace skinmask {

// The gains of B, G and R, in linear light, that bring an image from its own light to the light
// that the global model knows.
using Gains = std::array<double, 3>;
inline constexpr Gains kAsItIs{1, 1, 1};

// The stops (powers of two, 0 or more) by which a picture is brightened, with one gain for all
// channels: the global model knows only the exposures that it was trained on.
double StopsOf(const cv::Mat& bgr, const ImageDecisionOptions& options);

// The bytes (sRGB, IEC 61966-2-1) that replace bytes 0 to 255 of B, G and R after these gains and
// after brightening by `stops`: B, G and R for byte 0, then for byte 1. Empty if nothing changes.
std::vector<std::uint8_t> LightTable(const Gains& gains, double stops);

// The image in that light; the same image if `light` is empty.
cv::Mat InLight(const cv::Mat& bgr, const std::vector<std::uint8_t>& light);

// A monochrome image, grey or toned (sepia), has one hue for each lightness, which says nothing
// about what it shows. `small_bgr` is the image, reduced to some 10,000 pixels or more. About 0.2
// ms. A frame of a stream whose predecessor was monochrome stays so up to a higher bound.
bool IsMonochrome(const cv::Mat& small_bgr, const ImageDecisionOptions& options,
                  bool was_monochrome = false);

// The mean of the channels, rounded.
inline std::uint8_t GreyOf(const std::uint8_t* bgr) {
  return static_cast<std::uint8_t>((bgr[0] + bgr[1] + bgr[2] + 1) / 3);
}

// The image with GreyOf in all three channels.
cv::Mat InGrey(const cv::Mat& bgr);

// The histogram of an image's global log-odds (less those of the model's threshold), in shares of
// the image. Values beyond its ends are in the end bins.
class ImageHistogram {
 public:
  explicit ImageHistogram(const cv::Mat& log_odds);  // CV_32FC1
  // Moves the histogram towards that of another image by the share `rate`.
  void Blend(const ImageHistogram& target, double rate);

  static constexpr double kBegin = -6, kBin = 0.1;
  const std::vector<double>& shares() const { return shares_; }

 private:
  std::vector<double> shares_;
};

// The lowest place of a histogram.
struct Division {
  double log_odds;  // pixels above are skin
  double height;    // in relation to the peak above it
};

// Searches downwards from high log-odds, while the share of pixels above allows it, for the bin of
// the smoothed histogram that is lowest in relation to the highest bin above it (and above -1).
// Below 0 the search ends where the histogram rises again after a valley, because that is the
// background. Without such a bin: `options.sure_log_odds`, and an infinite height.
Division DivisionOf(const ImageHistogram& histogram, const ImageDecisionOptions& options);

// A decision about a stream by most of its last frames, so that neither noise nor the first frame
// determines it. A photograph is a stream of one frame.
class SteadyDecision {
 public:
  // `now` is what this frame says, and `weight` (0 to 1) how much it counts.
  bool Decide(bool now, double weight);

 private:
  bool holds_ = false;
  double frames_ = 0, share_ = 0;  // the sum of weights, and the share that says so
};

// What the frames of a stream without seeds have taught about their look in one light.
struct ImageView {
  double stops;
  ImageHistogram histogram;
  SteadyDecision valley = {};  // whether the histogram has one
};

// The same of a light that is assumed where skin stands apart in it as it does not in the usual
// one.
struct OtherLight {
  std::optional<ImageView> past;
  bool is_assumed = false;  // for the last frame
};

// The same of all lights.
struct ImagePast {
  std::optional<ImageView> usual;
  OtherLight cool, dark;
  SteadyDecision unclear;
  bool is_new = true;
};

}  // namespace skinmask
