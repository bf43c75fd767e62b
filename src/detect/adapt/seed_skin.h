// From seeds to anchors. A seed is where one person's skin is (seed_finder.h); its anchor is the
// Gaussian of the colours there, which the fit to the image takes as its prior.
#pragma once

#include <cstddef>
#include <opencv2/core.hpp>
#include <optional>

#include "detect/adapt/color_gaussian.h"
#include "skinmask/detect/adapt_options.h"
#include "skinmask/detect/seed_finder.h"

namespace skinmask {

inline constexpr std::size_t kMaxSeeds = 16;  // of one image: each costs a Gaussian in the fit

// The seed of an image of size `from` in its small image of size `to`; the box is empty if nothing
// of it is left there.
Seed Scaled(const Seed& seed, const cv::Size& from, const cv::Size& to);

// Whether the colours of a face may be skin. `seed` and the global `log_odds` (less those of the
// model's threshold, CV_32FC1) are of the small image, here and below.
bool IsVerified(const Seed& seed, const cv::Mat& log_odds, const SeedSkinOptions& options);

// The seed's skin, after trimming; absent where it holds too few pixels.
std::optional<ColorGaussian> AnchorOf(const cv::Mat& bgr, const Seed& seed, const cv::Mat& log_odds,
                                      const SeedSkinOptions& options);

}  // namespace skinmask
