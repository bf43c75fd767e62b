#include <Eigen/LU>
#include <algorithm>

#include "detect/adapt/adapt_steps.h"
#include "detect/adapt/color_gaussian.h"
#include "detect/adapt/settings.h"

namespace skinmask {
namespace {

constexpr int kTrims = 4;

std::vector<const std::uint8_t*> SeedPixels(const cv::Mat& bgr, const Seed& seed,
                                            const cv::Mat& log_odds) {
  std::vector<const std::uint8_t*> all, plausible;
  for (int y = 0; y < seed.box.height; ++y) {
    for (int x = 0; x < seed.box.width; ++x) {
      const cv::Point at = seed.box.tl() + cv::Point(x, y);
      if (!seed.skin.empty() ? seed.skin.at<std::uint8_t>(y, x) == 0
                             : seed.face && !InInnerFace(seed.box, at))
        continue;
      all.push_back(bgr.ptr(at.y, at.x));
      if (log_odds.at<float>(at) > kImplausible) plausible.push_back(all.back());
    }
  }
  // Where the global model finds most of it implausible, it is the light that is odd.
  return 2 * plausible.size() >= all.size() ? plausible : all;
}

// Concentration steps of the minimum covariance determinant (Rousseeuw, Van Driessen 1999) from all
// pixels: the moments of the share nearest to the Gaussian of the share before.
Moments Trim(const std::vector<const std::uint8_t*>& pixels) {
  Moments moments;
  for (const std::uint8_t* p : pixels) AddTo(moments, p);
  std::vector<double> distances(pixels.size());
  for (int i = 0; i < kTrims; ++i) {
    const ColorGaussian g = FromMoments(moments, 1, kSkinNoise);
    const Eigen::Matrix3d precision = g.covariance.inverse();
    for (std::size_t j = 0; j < pixels.size(); ++j)
      distances[j] = Distance(Color(pixels[j]), g.mean, precision);
    std::vector<double> sorted = distances;
    const auto border = sorted.begin() +
                        static_cast<std::ptrdiff_t>(kKept * static_cast<double>(sorted.size() - 1));
    std::ranges::nth_element(sorted, border);
    moments = {};
    for (std::size_t j = 0; j < pixels.size(); ++j)
      if (distances[j] <= *border) AddTo(moments, pixels[j]);
  }
  return moments;
}

}  // namespace

std::optional<ColorGaussian> AnchorOf(const cv::Mat& bgr, const Seed& seed,
                                      const cv::Mat& log_odds) {
  const auto pixels = SeedPixels(bgr, seed, log_odds);
  if (pixels.size() < kFewest) return std::nullopt;
  ColorGaussian g = FromMoments(Trim(pixels), 1, 0);
  g.covariance = kWidened * g.covariance + kSkinNoise * Eigen::Matrix3d::Identity();
  return g;
}

}  // namespace skinmask
