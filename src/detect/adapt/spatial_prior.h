// What the position relative to the nearest seed says of skin.
#pragma once

#include <opencv2/core.hpp>
#include <span>

#include "skinmask/detect/adapt_options.h"
#include "skinmask/detect/seed_finder.h"

namespace skinmask {

// The middle of a head, below the middle of its face, in sizes of the face.
inline constexpr double kHeadCentre = 0.05;

// Log-odds, CV_32FC1 of size `to`; the seeds are of an image of size `from`.
cv::Mat SpatialPrior(const cv::Size& to, const cv::Size& from, std::span<const Seed> seeds,
                     const SpatialPriorOptions& options);

}  // namespace skinmask
