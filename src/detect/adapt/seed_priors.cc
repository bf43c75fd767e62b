#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <opencv2/imgproc.hpp>

#include "detect/adapt/seed_priors.h"

namespace skinmask {
namespace {

struct SeedPixel {
  const std::uint8_t* bgr;
  float log_odds;
  bool is_upper;  // of a face: eyes and forehead
};

// The pixels that the seed marks; for a face, those of an ellipse of cheeks, nose and forehead.
std::vector<SeedPixel> MarkedPixels(const cv::Mat& bgr, const Seed& seed, const cv::Mat& log_odds,
                                    const SeedSkinOptions& options) {
  std::vector<SeedPixel> pixels;
  for (int y = 0; y < seed.box.height; ++y)
    for (int x = 0; x < seed.box.width; ++x) {
      const cv::Point at = seed.box.tl() + cv::Point(x, y);
      bool is_upper = false;
      if (!seed.skin.empty()) {
        if (seed.skin.at<std::uint8_t>(y, x) == 0) continue;
      } else if (seed.face) {
        const cv::Point2d p = seed.face->FromImage({at.x + 0.5, at.y + 0.5});
        const double across = p.x / options.inner_half_width;
        const double down = (p.y - kHeadCentre) / options.inner_half_height;
        if (!(std::sqrt(across * across + down * down) < 1)) continue;
        is_upper = p.y < kHeadCentre;
      }
      pixels.push_back({bgr.ptr(at.y, at.x), log_odds.at<float>(at), is_upper});
    }
  return pixels;
}

bool IsUpperDark(const std::vector<SeedPixel>& pixels, double least) {
  double n[2] = {}, sum[2] = {};
  for (const SeedPixel& p : pixels) {
    n[p.is_upper] += 1;
    sum[p.is_upper] += p.bgr[0] + p.bgr[1] + p.bgr[2];
  }
  // If the chin is outside of the picture, too little of the lower half is visible to compare with.
  return n[0] >= kMinPixels && 2 * n[0] >= n[1] && sum[1] * n[0] < least * sum[0] * n[1];
}

std::vector<const std::uint8_t*> SeedPixels(const cv::Mat& bgr, const Seed& seed,
                                            const cv::Mat& log_odds,
                                            const SeedSkinOptions& options) {
  std::vector<SeedPixel> pixels = MarkedPixels(bgr, seed, log_odds, options);
  // Dark glasses, a fringe, or the shade of a hat.
  if (IsUpperDark(pixels, options.min_upper_lightness))
    std::erase_if(pixels, [](const SeedPixel& p) { return p.is_upper; });
  std::vector<const std::uint8_t*> all, plausible;
  for (const SeedPixel& p : pixels) {
    all.push_back(p.bgr);
    if (p.log_odds > options.min_log_odds) plausible.push_back(p.bgr);
  }
  // If the global model finds most of the seed implausible, the light is unusual, and all pixels
  // are used.
  return 2 * plausible.size() >= all.size() ? plausible : all;
}

// Concentration steps of the minimum covariance determinant (Rousseeuw, Van Driessen 1999),
// starting with all pixels: each step keeps the share that is nearest to the Gaussian of the step
// before.
ByteSums Trim(const std::vector<const std::uint8_t*>& pixels, const SeedSkinOptions& options) {
  ByteSums sums;
  for (const std::uint8_t* p : pixels) sums.Add(p);
  std::vector<double> distances(pixels.size());
  const auto last = static_cast<std::ptrdiff_t>((1 - options.trim_fraction) *
                                                static_cast<double>(pixels.size() - 1));
  for (int step = 0; step < 4; ++step) {
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

// Twice the log-likelihood that is lost when one Gaussian describes both.
double LossOfJoining(const ColorGaussian& a, const ColorGaussian& b) {
  return (a.n + b.n) * LogDeterminant(Joined(a, b)) - a.n * LogDeterminant(a) -
         b.n * LogDeterminant(b);
}

// Divides each Gaussian into two, kStep standard deviations from its mean along its principal axis,
// with the share kLess less variance there: skin in light and skin in shade differ more than one
// Gaussian of both allows.
std::vector<ColorGaussian> Divided(const std::vector<ColorGaussian>& gaussians) {
  constexpr double kStep = .8, kLess = .3;
  std::vector<ColorGaussian> halves;
  for (const ColorGaussian& g : gaussians) {
    const Eigen::Vector3d axis = PrincipalAxis(g.covariance);
    const double variance = axis.dot(g.covariance * axis);
    const Eigen::Vector3d step = kStep * std::sqrt(variance) * axis;
    const Eigen::Matrix3d covariance = g.covariance - kLess * variance * axis * axis.transpose();
    halves.push_back({g.n / 2, g.mean - step, covariance});
    halves.push_back({g.n / 2, g.mean + step, covariance});
  }
  return halves;
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

std::vector<ColorGaussian> SkinPriors(std::vector<ColorGaussian> color_priors, std::size_t most) {
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
  return 2 * color_priors.size() <= most ? Divided(color_priors) : color_priors;
}

std::optional<ColorGaussian> HairOf(const cv::Mat& bgr, const cv::Size& from,
                                    std::span<const Seed> seeds, double covariance_floor) {
  // In sizes of the face: a band above the forehead, about as wide as the head.
  constexpr double kTop = -.75, kBottom = -.52, kHalfWidth = .45;
  ByteSums sums;
  for (const Seed& seed : seeds) {
    if (!seed.face) continue;
    const FaceFrame face = *Scaled(seed, from, bgr.size()).face;
    // The upright square around the band, which is turned with the face.
    const cv::Point2d middle = face.ToImage({0, (kTop + kBottom) / 2});
    const FaceFrame band{middle, (2 * kHalfWidth + .1) * face.size, 0};
    const cv::Rect around = band.Box(bgr.size());
    for (int y = around.y; y < around.br().y; ++y)
      for (int x = around.x; x < around.br().x; ++x) {
        const cv::Point2d p = face.FromImage({x + 0.5, y + 0.5});
        if (p.y > kTop && p.y < kBottom && std::abs(p.x) < kHalfWidth) sums.Add(bgr.ptr(y, x));
      }
  }
  if (sums.n() < kMinPixels) return std::nullopt;
  return sums.Gaussian(covariance_floor);
}

}  // namespace skinmask
