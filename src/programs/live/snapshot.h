// One frame as pictures.
#pragma once

#include <filesystem>
#include <opencv2/core.hpp>

#include "programs/live/view.h"

namespace skinmask::live {

// STEM.frame.png, STEM.mask.png and STEM.probability.png; returns the first.
std::filesystem::path Snapshot(const std::filesystem::path& folder, const cv::Mat& bgr,
                               const Maps& maps);

}  // namespace skinmask::live
