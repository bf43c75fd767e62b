// The priors that seeds (seed_finder.h) give to the fit: of colours by their own pixels, and of
// places.
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

// The seed of an image of size `from`, scaled to its small image of size `to`; the box is empty if
// nothing of the seed is left there.
Seed Scaled(const Seed& seed, const cv::Size& from, const cv::Size& to);

// The median size of the faces among the seeds, scaled to `to`; 0 if there is none.
double MiddleFaceSize(std::span<const Seed> seeds, const cv::Size& from, const cv::Size& to);

// The Gaussian of the seed's skin after trimming; absent if the seed has too few pixels. `seed` and
// the global `log_odds` (less those of the model's threshold, CV_32FC1) are those of the small
// image.
std::optional<ColorGaussian> ColorPriorOf(const cv::Mat& bgr, const Seed& seed,
                                          const cv::Mat& log_odds, const SeedSkinOptions& options);

// At most `most` Gaussians for all faces, with n as the number of faces. If there are more faces,
// the two whose union loses the least likelihood are joined, again and again. If at most half of
// `most` remain, each is divided into light and shade.
std::vector<ColorGaussian> SkinPriors(std::vector<ColorGaussian> color_priors, std::size_t most);

// The Gaussian of the colours above the foreheads (hair, a hat, or the background). `bgr` is a
// small image, the seeds are of an image of size `from`. Absent if there are too few pixels.
std::optional<ColorGaussian> HairOf(const cv::Mat& bgr, const cv::Size& from,
                                    std::span<const Seed> seeds, double covariance_floor);

// What the place of a pixel relative to the seeds tells (docs/adaptation.md, step 5): log-odds,
// CV_32FC1 of size `to`; the seeds are of an image of size `from`.
cv::Mat SpatialPrior(const cv::Size& to, const cv::Size& from, std::span<const Seed> seeds,
                     const SpatialPriorOptions& options);

// The centre of a head, below the centre of its face, in sizes of the face.
inline constexpr double kHeadCentre = 0.05;

}  // namespace skinmask
