#include "detect/adapt/monochrome.h"

#include <algorithm>
#include <array>

#include "detect/adapt/image_decision.h"
#include "detect/adapt/small_image.h"

namespace skinmask {
namespace {

constexpr int kCoarsePixels = 1000;
// A standard deviation, in grey levels. The least of 101 photographs of hands is 2.4; of 166 scenes
// that were toned in four ways and stored as JPEG of quality 85, 97 % are below 1.6 in each.
constexpr double kMaxDeviation = 1.6;
// The same for a frame whose predecessor was monochrome, so that noise at the bound does not change
// the whole mask from frame to frame.
constexpr double kMaxDeviationOfNext = 2;
// A tone ends where a channel is nearly full.
constexpr int kMaxByte = 235;
// Drawings of a few colours have one hue for each lightness, too, and so may close-ups of evenly
// coloured skin, which have no dark and no light parts. Of 380 crops of skin none is monochrome by
// both bounds; of toned scenes this one leaves out about 3 %.
constexpr int kMinLevels = 100;
// The squares less the number of lightnesses. Fewer, as in an image of some 50 pixels, tell too
// little of the variance.
constexpr int kMinFurther = 48;

// The squares of the coarse image in which no pixel of the small image is nearly full: 255;
// CV_8UC1.
cv::Mat UnclippedSquares(const cv::Mat& small_bgr, const cv::Size& coarse) {
  const int square = SmallImageSquare(small_bgr.size(), kCoarsePixels);
  cv::Mat unclipped(coarse, CV_8UC1, cv::Scalar(255));
  for (int y = 0; y < std::min(small_bgr.rows, coarse.height * square); ++y)
    for (int x = 0; x < std::min(small_bgr.cols, coarse.width * square); ++x) {
      const auto& bgr = small_bgr.at<cv::Vec3b>(y, x);
      if (std::max({bgr[0], bgr[1], bgr[2]}) >= kMaxByte)
        unclipped.at<std::uint8_t>(y / square, x / square) = 0;
    }
  return unclipped;
}

}  // namespace

// In a monochrome image all channels are functions of the lightness, so the variance of B - G and
// R - G among pixels of the same lightness is small. The image is brightened first, because all
// colours of a dark image are close to each other, and reduced, because codecs blur colours more
// than lightness.
bool IsMonochrome(const cv::Mat& small_bgr, const ImageDecisionOptions& options,
                  bool was_monochrome) {
  const cv::Mat coarse = SmallImage(small_bgr, kCoarsePixels);
  const cv::Mat lit = InLight(coarse, LightTable(kAsItIs, StopsOf(coarse, options)));
  const cv::Mat unclipped = UnclippedSquares(small_bgr, coarse.size());
  struct Level {
    double count = 0, blue = 0, red = 0, squares = 0;  // sums
  };
  std::array<Level, 256> levels{};
  for (int y = 0; y < lit.rows; ++y)
    for (int x = 0; x < lit.cols; ++x) {
      if (unclipped.at<std::uint8_t>(y, x) == 0) continue;
      const auto& bgr = lit.at<cv::Vec3b>(y, x);
      const double blue = bgr[0] - bgr[1], red = bgr[2] - bgr[1];
      Level& level = levels[GreyOf(bgr.val)];
      ++level.count;
      level.blue += blue;
      level.red += red;
      level.squares += blue * blue + red * red;
    }
  int occupied = 0;
  double squares = 0, freedom = 0;
  for (const Level& level : levels) {
    if (level.count == 0) continue;
    ++occupied;
    freedom += 2 * (level.count - 1);
    squares += level.squares - (level.blue * level.blue + level.red * level.red) / level.count;
  }
  const double deviation = was_monochrome ? kMaxDeviationOfNext : kMaxDeviation;
  return occupied >= kMinLevels && freedom >= 2 * kMinFurther &&
         squares <= deviation * deviation * freedom;
}

cv::Mat InGrey(const cv::Mat& bgr) {
  cv::Mat grey(bgr.size(), CV_8UC3);
  for (int y = 0; y < bgr.rows; ++y)
    for (int x = 0; x < bgr.cols; ++x)
      grey.at<cv::Vec3b>(y, x) = cv::Vec3b::all(GreyOf(bgr.ptr(y, x)));
  return grey;
}

}  // namespace skinmask
