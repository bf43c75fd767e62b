// Masks and classes drawn as pictures, and faces and regions drawn into them.
#pragma once

#include <cstddef>
#include <opencv2/core.hpp>
#include <span>
#include <string>

#include "skinmask/detect/region.h"
#include "skinmask/detect/seed_finder.h"

namespace [[gnu::visibility("default")]] skinmask {

// DrawOverlay: the picture, darkened where there is no skin, with the border of the skin drawn one
// pixel wide for each thousand pixels of the shorter side (rounded, at least one). CutOut: the
// picture as BGRA with the mask as alpha. `memory` is used if it fits.
cv::Mat DrawOverlay(const cv::Mat& bgr, const cv::Mat& mask, cv::Mat memory = {});
cv::Mat CutOut(const cv::Mat& bgr, const cv::Mat& mask, cv::Mat memory = {});
// The mask as alpha that passes from 0 to 255 over about `width` pixels (0 to 100, else Error) on
// either side of its border, following P(skin) (`probability`, CV_8UC1) around the threshold.
// Farther than twice the width from the border it equals the mask. Computed with integers alone.
// `FeatherOf` gives the usual width.
cv::Mat FeatheredAlpha(const cv::Mat& mask, const cv::Mat& probability, double threshold,
                       int width);
int FeatherOf(const cv::Size& size);
// The skin on black, for videos: the colours times alpha / 255, rounded.
cv::Mat OnBlack(const cv::Mat& bgr, const cv::Mat& alpha);
// The colours of `count` classes, three bytes R G B each; and a picture of indices (CV_8UC1) in
// such colours (CV_8UC3). More than 256 colours are an Error.
std::string ClassPalette(std::size_t count);
cv::Mat InPalette(const cv::Mat& indices, const std::string& rgb);
// Into a picture (CV_8UC3): the box of each face with its number, and the outlines of its measured
// parts (measure.h); a region's ellipse, its long axis and its centroid.
void DrawFaces(cv::Mat& bgr, std::span<const Face> faces);
void DrawRegion(cv::Mat& bgr, const Region& region);

}  // namespace skinmask
