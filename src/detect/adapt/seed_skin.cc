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
bool InInnerFace(const FaceFrame& face, cv::Point at, const SeedSkinOptions& options) {
  const cv::Point2d p = face.FromImage({at.x + 0.5, at.y + 0.5});
  const double x = p.x / options.inner_half_width;
  const double y = (p.y - kHeadCentre) / options.inner_half_height;
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
                             : seed.face && !InInnerFace(*seed.face, at, options))
        continue;
      all.push_back(bgr.ptr(at.y, at.x));
      if (log_odds.at<float>(at) > options.min_log_odds) plausible.push_back(all.back());
    }
  }
  // Where the global model finds most of it implausible, it is the light that is odd.
  return 2 * plausible.size() >= all.size() ? plausible : all;
}

// Concentration steps of the minimum covariance determinant (Rousseeuw, Van Driessen 1999) from all
// pixels: the sums of the share nearest to the Gaussian of the share before.
ByteSums Trim(const std::vector<const std::uint8_t*>& pixels, const SeedSkinOptions& options) {
  ByteSums sums;
  for (const std::uint8_t* p : pixels) sums.Add(p);
  std::vector<double> distances(pixels.size());
  const auto last = static_cast<std::ptrdiff_t>((1 - options.trim_fraction) *
                                                static_cast<double>(pixels.size() - 1));
  for (int i = 0; i < kConcentrationSteps; ++i) {
    const ColorGaussian g = sums.Gaussian(options.covariance_floor);
    const Eigen::Matrix3d precision = g.covariance.inverse();
    for (std::size_t j = 0; j < pixels.size(); ++j)
      distances[j] = SquaredMahalanobis(Color(pixels[j]), g.mean, precision);
    std::vector<double> sorted = distances;
    const auto cutoff = sorted.begin() + last;
    std::ranges::nth_element(sorted, cutoff);
    sums = {};
    for (std::size_t j = 0; j < pixels.size(); ++j)
      if (distances[j] <= *cutoff) sums.Add(pixels[j]);
  }
  return sums;
}

double LogDeterminant(const ColorGaussian& g) { return std::log(g.covariance.determinant()); }

// Twice the log-likelihood that is lost when both are described by their union.
double LossOfJoining(const ColorGaussian& a, const ColorGaussian& b) {
  return (a.n + b.n) * LogDeterminant(Joined(a, b)) - a.n * LogDeterminant(a) -
         b.n * LogDeterminant(b);
}

}  // namespace

Seed Scaled(const Seed& seed, const cv::Size& from, const cv::Size& to) {
  const double x = static_cast<double>(to.width) / from.width;
  const double y = static_cast<double>(to.height) / from.height;
  Seed scaled = seed;
  if (scaled.face) {
    scaled.face->centre = {seed.face->centre.x * x, seed.face->centre.y * y};
    scaled.face->size = seed.face->size * std::sqrt(x * y);
  }
  const cv::Point first(static_cast<int>(seed.box.x * x), static_cast<int>(seed.box.y * y));
  const cv::Point last(static_cast<int>(std::ceil(seed.box.br().x * x)),
                       static_cast<int>(std::ceil(seed.box.br().y * y)));
  scaled.box = cv::Rect(first, last) & cv::Rect({}, to);
  if (!seed.skin.empty() && !scaled.box.empty())
    cv::resize(seed.skin, scaled.skin, scaled.box.size(), 0, 0, cv::INTER_NEAREST);
  return scaled;
}

double MiddleFaceSize(std::span<const Seed> seeds, const cv::Size& from, const cv::Size& to) {
  std::vector<double> sizes;
  for (const Seed& seed : seeds)
    if (seed.face) sizes.push_back(Scaled(seed, from, to).face->size);
  if (sizes.empty()) return 0;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::ranges::nth_element(sizes, middle);
  return *middle;
}

std::optional<ColorGaussian> ColorPriorOf(const cv::Mat& bgr, const Seed& seed,
                                          const cv::Mat& log_odds, const SeedSkinOptions& options) {
  const auto pixels = SeedPixels(bgr, seed, log_odds, options);
  if (pixels.size() < kMinPixels) return std::nullopt;
  ColorGaussian g = Trim(pixels, options).Gaussian(0);
  g.covariance = options.covariance_inflation * g.covariance +
                 options.covariance_floor * Eigen::Matrix3d::Identity();
  return g;
}

std::vector<ColorGaussian> Merged(std::vector<ColorGaussian> color_priors, std::size_t most) {
  for (ColorGaussian& g : color_priors) g.n = 1;
  while (color_priors.size() > most) {
    double least = HUGE_VAL;
    std::size_t first = 0, second = 0;
    for (std::size_t i = 0; i < color_priors.size(); ++i)
      for (std::size_t j = i + 1; j < color_priors.size(); ++j)
        if (const double loss = LossOfJoining(color_priors[i], color_priors[j]); loss < least)
          least = loss, first = i, second = j;
    color_priors[first] = Joined(color_priors[first], color_priors[second]);
    color_priors.erase(color_priors.begin() + static_cast<std::ptrdiff_t>(second));
  }
  return color_priors;
}

}  // namespace skinmask
