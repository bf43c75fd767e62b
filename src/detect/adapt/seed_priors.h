// A seed is where one person's skin is (seed_finder.h). It says something of the colours there,
// which the fit to the image takes as its prior, and of the places around it.
#pragma once

#include <cstddef>
#include <opencv2/core.hpp>
#include <optional>
#include <span>
#include <vector>

#include "detect/adapt/color_gaussian.h"
#include "skinmask/detect/adapt_options.h"
#include "skinmask/detect/seed_finder.h"

namespace skinmask {

inline constexpr std::size_t kMaxSeeds = 64;  // of one image

// The seed of an image of size `from` in its small image of size `to`; the box is empty if nothing
// of it is left there.
Seed Scaled(const Seed& seed, const cv::Size& from, const cv::Size& to);

// Of the faces among them; 0 where there are none.
double MiddleFaceSize(std::span<const Seed> seeds, const cv::Size& from, const cv::Size& to);

// The seed's skin, after trimming; absent where it holds too few pixels. `seed` and the global
// `log_odds` (less those of the model's threshold, CV_32FC1) are of the small image.
std::optional<ColorGaussian> ColorPriorOf(const cv::Mat& bgr, const Seed& seed,
                                          const cv::Mat& log_odds, const SeedSkinOptions& options);

// At most `most` Gaussians for all of them, whose n are shares of faces. Of more the two are joined
// whose union loses the least likelihood, again and again; where there is room for two of each,
// each is divided into its side in light and its side in shade.
std::vector<ColorGaussian> SkinPriors(std::vector<ColorGaussian> color_priors, std::size_t most);

// The colours above the foreheads: hair, a hat or what is behind them. Of a small image, whose
// seeds are of an image of size `from`; absent where too few pixels are there.
std::optional<ColorGaussian> HairOf(const cv::Mat& bgr, const cv::Size& from,
                                    std::span<const Seed> seeds, double covariance_floor);

// The middle of a head, below the middle of its face, in sizes of the face.
inline constexpr double kHeadCentre = 0.05;

// Log-odds, CV_32FC1 of size `to`; the seeds are of an image of size `from`.
cv::Mat SpatialPrior(const cv::Size& to, const cv::Size& from, std::span<const Seed> seeds,
                     const SpatialPriorOptions& options);

}  // namespace skinmask
