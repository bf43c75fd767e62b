// What the parts of adaptation agree on.
#pragma once

#include <opencv2/core.hpp>
#include <span>

#include "skinmask/base/scratch.h"
#include "skinmask/detect/adapt.h"

namespace skinmask {

inline constexpr std::size_t kMostSeeds = 16;

// Cheeks, nose and forehead of a face as cascades frame it: the ellipse of half axes 0.32 and 0.38
// box sizes, its centre a little below the box's.
bool InInnerFace(const cv::Rect& box, cv::Point at);

// What the place relative to the nearest seed adds to the log-odds (docs/decisions/0011-adapt.md);
// seeds are in a picture of size `from`, and the result is CV_32FC1 of size `to`.
cv::Mat PlaceLogOdds(const cv::Size& to, const cv::Size& from, std::span<const Seed> seeds);

// The picture that models are fitted to.
cv::Mat SmallPicture(const cv::Mat& bgr);
// The seed in the small picture; its box is empty if nothing of it is left there.
Seed Scaled(const Seed& seed, const cv::Size& from, const cv::Size& to);
// A false face is mostly of colours that no skin has in any light; `seed` and the global model's
// `log_odds`, less its threshold's, are of the small picture.
bool IsVerified(const Seed& seed, const cv::Mat& log_odds);

// Adds to the log-odds what the neighbourhood says, along the edges of the picture; `small_bgr` is
// the picture to work on.
void RefineAlongEdges(const cv::Mat& bgr, const cv::Mat& small_bgr, cv::Mat& log_odds);

// CV_32FC1 enlarged linearly into the buffer, where it lives until the buffer's next use.
cv::Mat Enlarged(const cv::Mat& small, const cv::Size& size, Scratch& buffer);

}  // namespace skinmask
