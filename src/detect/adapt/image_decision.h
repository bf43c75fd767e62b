// An image without seeds is brought to the light that the model knows, and divided into skin and
// the rest where its own histogram divides.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

#include "skinmask/detect/adapt_options.h"

namespace skinmask {

// The global model knows the exposures that it was trained on; a picture of less light is taken to
// be lighter, by one gain for all channels: by so many stops (powers of two, 0 or more).
double StopsOf(const cv::Mat& bgr, const ImageDecisionOptions& options);

// What each byte, as sRGB encodes light (IEC 61966-2-1), is with so much more of it; empty for 0.
std::vector<std::uint8_t> LightTable(double stops);

// The image in that light.
cv::Mat InLight(const cv::Mat& bgr, const std::vector<std::uint8_t>& light);

// How an image's pixels lie over global log-odds (less those of the model's threshold), in shares
// of the image. Those beyond its ends count there.
class ImageHistogram {
 public:
  explicit ImageHistogram(const cv::Mat& log_odds);  // CV_32FC1
  // Goes `rate` of the way to another image's.
  void Blend(const ImageHistogram& target, double rate);

  static constexpr double kBegin = -6, kEnd = 6, kBin = 0.1;
  const std::vector<double>& shares() const { return shares_; }

 private:
  std::vector<double> shares_;
};

struct Division {
  double log_odds = 0;     // what is above is skin, or surely skin
  bool is_valley = false;  // the image divides there; else nothing but the model says so
};

// Goes down from great log-odds, as far as the pixels above may be a part of the image, and takes
// the lowest place of the smoothed histogram in shares of the highest place above it (and above
// -1); below 0 the way ends where the histogram rises again after a valley, to the background.
Division DivisionOf(const ImageHistogram& histogram, const ImageDecisionOptions& options);

}  // namespace skinmask
