// dlib's own detector of frontal faces, which the built-in finder is held to.
#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "detect/adapt/hog_search.h"

namespace skinmask::testing {

// Those that score at least min_score, best first. `grey` is CV_8UC1.
std::vector<HogFace> DlibFaces(const cv::Mat& grey, double min_score);

}  // namespace skinmask::testing
