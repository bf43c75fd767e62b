// Where what a small image shows was in the image before, in whole numbers: every CPU finds the
// same motion.
#pragma once

#include <opencv2/core.hpp>
#include <vector>

namespace skinmask {

inline constexpr int kMotionBlock = 8;  // pixels of the small image from block to block
inline constexpr int kMotionUnits = 8;  // a pixel has so many

// A vector (x, y) for each block of kMotionBlock x kMotionBlock pixels, from the first corner on:
// from where its middle is in `now` to where that was in `before`. Both have one size. Motions of
// up to 19 pixels are found; about 0.2 ms for 39,000 pixels.
using BlockMotion = cv::Mat_<cv::Vec2s>;
BlockMotion MotionTo(const cv::Mat1b& before, const cv::Mat1b& now);

// The vectors of the pixels of row y, between those of the blocks' middles.
void MotionOfRow(const BlockMotion& motion, int y, int width, std::vector<cv::Vec2s>& row);

}  // namespace skinmask
