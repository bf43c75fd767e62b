#include "detect/adapt/seed_skin.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "detect/adapt/spatial_prior.h"

namespace skinmask {
namespace {

constexpr int kConcentrationSteps = 4;

// The ellipse of cheeks, nose and forehead.
bool InInnerFace(const cv::Rect& box, cv::Point at, const SeedSkinOptions& options) {
  const double u = (at.x + 0.5 - box.x) / box.width - 0.5,
               v = (at.y + 0.5 - box.y) / box.height - 0.5;
  const double x = u / options.inner_half_width;
  const double y = (v - kHeadCentre) / options.inner_half_height;
  return std::sqrt(x * x + y * y) < 1;
}

std::vector<const std::uint8_t*> SeedPixels(const cv::Mat& bgr, const Seed& seed,
                                            const cv::Mat& log_odds,
                                            const SeedSkinOptions& options) {
  std::vector<const std::uint8_t*> all, plausible;
  for (int y = 0; y < seed.box.height; ++y) {
    for (int x = 0; x < seed.box.width; ++x) {
      const cv::Point at = seed.box.tl() + cv::Point(x, y);
      if (!seed.skin.empty() ? seed.skin.at<std::uint8_t>(y, x) == 0
                             : seed.face && !InInnerFace(seed.box, at, options))
        continue;
      all.push_back(bgr.ptr(at.y, at.x));
      if (log_odds.at<float>(at) > options.min_log_odds) plausible.push_back(all.back());
    }
  }
  // Where the global model finds most of it implausible, it is the light that is odd.
  return 2 * plausible.size() >= all.size() ? plausible : all;
}

// Concentration steps of the minimum covariance determinant (Rousseeuw, Van Driessen 1999) from all
// pixels: the moments of the share nearest to the Gaussian of the share before.
Moments Trim(const std::vector<const std::uint8_t*>& pixels, const SeedSkinOptions& options) {
  Moments moments;
  for (const std::uint8_t* p : pixels) AddTo(moments, p);
  std::vector<double> distances(pixels.size());
  const auto last = static_cast<std::ptrdiff_t>((1 - options.trim_fraction) *
                                                static_cast<double>(pixels.size() - 1));
  for (int i = 0; i < kConcentrationSteps; ++i) {
    const ColorGaussian g = FromMoments(moments, 1, options.covariance_floor);
    const Eigen::Matrix3d precision = g.covariance.inverse();
    for (std::size_t j = 0; j < pixels.size(); ++j)
      distances[j] = SquaredMahalanobis(Color(pixels[j]), g.mean, precision);
    std::vector<double> sorted = distances;
    const auto cutoff = sorted.begin() + last;
    std::ranges::nth_element(sorted, cutoff);
    moments = {};
    for (std::size_t j = 0; j < pixels.size(); ++j)
      if (distances[j] <= *cutoff) AddTo(moments, pixels[j]);
  }
  return moments;
}

}  // namespace

Seed Scaled(const Seed& seed, const cv::Size& from, const cv::Size& to) {
  const double x = static_cast<double>(to.width) / from.width;
  const double y = static_cast<double>(to.height) / from.height;
  Seed scaled = seed;
  const cv::Point first(static_cast<int>(seed.box.x * x), static_cast<int>(seed.box.y * y));
  const cv::Point last(static_cast<int>(std::ceil(seed.box.br().x * x)),
                       static_cast<int>(std::ceil(seed.box.br().y * y)));
  scaled.box = cv::Rect(first, last) & cv::Rect({}, to);
  if (!seed.skin.empty() && !scaled.box.empty())
    cv::resize(seed.skin, scaled.skin, scaled.box.size(), 0, 0, cv::INTER_NEAREST);
  return scaled;
}

bool IsVerified(const Seed& seed, const cv::Mat& log_odds, const SeedSkinOptions& options) {
  if (seed.box.empty()) return false;
  if (!seed.face || seed.certain) return true;
  const cv::Rect& b = seed.box;
  const cv::Mat middle = log_odds(
      cv::Rect(b.x + b.width / 4, b.y + b.height / 4, (b.width + 1) / 2, (b.height + 1) / 2) & b);
  return cv::countNonZero(middle > options.verified_log_odds) >=
         options.verified_share * static_cast<double>(middle.total());
}

std::optional<ColorGaussian> AnchorOf(const cv::Mat& bgr, const Seed& seed, const cv::Mat& log_odds,
                                      const SeedSkinOptions& options) {
  const auto pixels = SeedPixels(bgr, seed, log_odds, options);
  if (pixels.size() < kMinPixels) return std::nullopt;
  ColorGaussian g = FromMoments(Trim(pixels, options), 1, 0);
  g.covariance = options.covariance_inflation * g.covariance +
                 options.covariance_floor * Eigen::Matrix3d::Identity();
  return g;
}

}  // namespace skinmask
