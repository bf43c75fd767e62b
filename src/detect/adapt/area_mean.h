// Makes pictures smaller by means of areas, with the same bytes on every CPU.
#pragma once

#include <opencv2/core.hpp>

namespace skinmask {

// `grey`, CV_8UC1, at `size`, neither side of which is larger: what cv::resize with INTER_AREA
// gives where its compiler keeps products and sums apart. On ARM it does not, and some bytes are
// others.
cv::Mat1b AreaMean(const cv::Mat1b& grey, const cv::Size& size);

}  // namespace skinmask
