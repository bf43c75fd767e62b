#include "detect/adapt/image_decision.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "detect/adapt/small_image.h"
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

constexpr int kBins = 120;  // from kBegin to 6
// The peak of skin is searched for at these log-odds or above; below, it might be the background's.
constexpr double kLowestPeak = -1;
// A smaller rise, as a share of the image in a bin, may be noise.
constexpr double kMinRise = 1e-5;

int BinOf(double log_odds) {
  return static_cast<int>(std::lround((log_odds - ImageHistogram::kBegin) / ImageHistogram::kBin));
}

std::vector<double> Smoothed(const std::vector<double>& shares, double standard_deviation) {
  const double sigma = standard_deviation / ImageHistogram::kBin;
  const int reach = static_cast<int>(std::ceil(4 * sigma));
  std::vector<double> kernel;
  for (int i = -reach; i <= reach; ++i) kernel.push_back(std::exp(-0.5 * i * i / (sigma * sigma)));
  const double sum = std::accumulate(kernel.begin(), kernel.end(), 0.);
  std::vector<double> smoothed(shares.size());
  for (int i = 0; i < kBins; ++i)
    for (int j = std::max(0, i - reach); j <= std::min(kBins - 1, i + reach); ++j)
      smoothed[static_cast<std::size_t>(i)] += shares[static_cast<std::size_t>(j)] *
                                               kernel[static_cast<std::size_t>(j - i + reach)] /
                                               sum;
  return smoothed;
}

// An image is reduced to so many pixels to find whether it is monochrome.
constexpr int kMonochromePixels = 1000;
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
  const int square = SmallImageSquare(small_bgr.size(), kMonochromePixels);
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

std::vector<std::uint8_t> LightTable(const Gains& gains, double stops) {
  if (gains == kAsItIs && stops == 0) return {};
  std::vector<std::uint8_t> table;
  table.reserve(gains.size() * 256);
  for (int byte = 0; byte < 256; ++byte) {
    const double light = std::exp2(stops) * LinearOf(byte);
    for (const double gain : gains)
      table.push_back(
          static_cast<std::uint8_t>(std::lround(255 * EncodedOf(std::min(1., gain * light)))));
  }
  return table;
}

cv::Mat InLight(const cv::Mat& bgr, const std::vector<std::uint8_t>& light) {
  if (light.empty()) return bgr;
  cv::Mat lit;
  cv::LUT(bgr, cv::Mat(1, 256, CV_8UC3, const_cast<std::uint8_t*>(light.data())), lit);
  return lit;
}

const std::uint8_t* Adaptation::InLight(const std::uint8_t* bgr, int width) const {
  if (light.empty() && !summary.monochrome) return bgr;
  thread_local std::vector<std::uint8_t> row;
  const std::size_t size = 3 * static_cast<std::size_t>(width);
  row.resize(size);
  std::uint8_t* const out = row.data();
  const std::uint8_t* const lit = light.empty() ? nullptr : light.data();
  for (std::size_t i = 0; i < size; i += 3) {
    if (!summary.monochrome) {
      for (std::size_t c = 0; c < 3; ++c) out[i + c] = lit[3 * bgr[i + c] + c];
      continue;
    }
    const std::uint8_t grey = GreyOf(bgr + i);
    for (std::size_t c = 0; c < 3; ++c) out[i + c] = lit ? lit[3 * grey + c] : grey;
  }
  return out;
}

// In a monochrome image all channels are functions of the lightness, so the variance of B - G and
// R - G among pixels of the same lightness is small. The image is brightened first, because all
// colours of a dark image are close to each other, and reduced, because codecs blur colours more
// than lightness.
bool IsMonochrome(const cv::Mat& small_bgr, const ImageDecisionOptions& options,
                  bool was_monochrome) {
  const cv::Mat coarse = SmallImage(small_bgr, kMonochromePixels);
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

ImageHistogram::ImageHistogram(const cv::Mat& log_odds) : shares_(kBins) {
  const double each = 1 / static_cast<double>(log_odds.total());
  for (int y = 0; y < log_odds.rows; ++y)
    for (int x = 0; x < log_odds.cols; ++x) {
      const double bin = (log_odds.at<float>(y, x) - kBegin) / kBin;
      shares_[static_cast<std::size_t>(std::clamp(bin, 0., kBins - 1.))] += each;
    }
}

void ImageHistogram::Blend(const ImageHistogram& target, double rate) {
  for (std::size_t i = 0; i < shares_.size(); ++i)
    shares_[i] += rate * (target.shares_[i] - shares_[i]);
}

Division DivisionOf(const ImageHistogram& histogram, const ImageDecisionOptions& options) {
  const std::vector<double> smoothed = Smoothed(histogram.shares(), options.smoothing);
  const int top = BinOf(options.max_log_odds), bottom = std::max(0, BinOf(options.min_log_odds));
  const auto first = static_cast<std::ptrdiff_t>(top + 1);
  double peak = *std::max_element(smoothed.begin() + first, smoothed.end());
  double above = std::accumulate(histogram.shares().begin() + first, histogram.shares().end(), 0.);
  double least = HUGE_VAL;
  Division best{options.sure_log_odds, HUGE_VAL};
  for (int bin = top; bin >= bottom; --bin) {
    const double height = smoothed[static_cast<std::size_t>(bin)];
    above += histogram.shares()[static_cast<std::size_t>(bin)];
    if (bin >= BinOf(kLowestPeak)) peak = std::max(peak, height);
    if (above < options.min_share) continue;
    if (above > options.max_share) break;
    const bool rises = height > options.max_rise * least + kMinRise;
    if (bin < BinOf(0) && least < options.max_valley * peak && rises) break;
    least = std::min(least, height);
    if (height < best.height * peak)
      best = {ImageHistogram::kBegin + ImageHistogram::kBin * bin, height / peak};
  }
  return best;
}

bool SteadyDecision::Decide(bool now, double weight) {
  constexpr double kMemory = 6;  // frames of weight 1
  constexpr double kMax = 0.6;   // the share of frames that changes a decision
  const bool is_first = frames_ == 0;
  frames_ = std::min(frames_ + weight, kMemory);
  if (frames_ > 0) share_ += weight / frames_ * (now - share_);
  holds_ = is_first ? now : share_ > (holds_ ? 1 - kMax : kMax);
  return holds_;
}

}  // namespace skinmask
