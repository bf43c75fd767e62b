// Neighbouring pixels help each other, but not across edges.
#pragma once

#include <opencv2/core.hpp>

#include "skinmask/detect/adapt_options.h"

namespace skinmask {

// Mean field on the small image, the messages guided by its edges; the last message is added to the
// log-odds (CV_32FC1) of every pixel of the large one, as slope and offset, which are smooth where
// the image is not (He, Sun: Fast guided filter, 2015).
void RefineLogOdds(const cv::Mat& bgr, const cv::Mat& small_bgr, const RefinementOptions& options,
                   cv::Mat& log_odds);

}  // namespace skinmask
