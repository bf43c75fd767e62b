// What the place of a pixel relative to the seeds tells (docs/adaptation.md, step 5).
#pragma once

#include <opencv2/core.hpp>
#include <span>

#include "skinmask/detect/adapt_options.h"
#include "skinmask/detect/seed_finder.h"

namespace skinmask {

// The spatial prior as log-odds, CV_32FC1 of size `to`; the seeds are of an image of size `from`.
cv::Mat SpatialPrior(const cv::Size& to, const cv::Size& from, std::span<const Seed> seeds,
                     const SpatialPriorOptions& options);

}  // namespace skinmask
