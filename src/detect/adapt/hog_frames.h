// The frame of the face that windows of the HOG templates show.
#pragma once

#include <numbers>
#include <opencv2/core.hpp>
#include <vector>

#include "detect/adapt/hog_boxes.h"
#include "skinmask/detect/seed_finder.h"

namespace skinmask {

// The patterns of the five templates, of which the last two are of tilted heads; then the same five
// for each turn of the picture (kHogTurns), which makes heads upright that are tilted to the right,
// tilted to the left, or lying.
inline constexpr int kHogPatterns = 5, kFirstTiltedHog = 3;

struct HogTurn {
  double cosine, sine, radians;
};
inline constexpr double kCosineOf30 = .8660254037844386;  // a literal: the same bits on every CPU
inline constexpr HogTurn kHogTurns[] = {{1, 0, 0},
                                        {kCosineOf30, .5, std::numbers::pi / 6},
                                        {kCosineOf30, -.5, -std::numbers::pi / 6},
                                        {0, 1, std::numbers::pi / 2},
                                        {0, -1, -std::numbers::pi / 2},
                                        {-1, 0, std::numbers::pi}};

// The frame of a group of windows of one face, the best first (GroupsOf). A pixel of the windows is
// scale_x pixels of the `image` wide and scale_y high.
FaceFrame FrameOfGroup(const std::vector<HogFace>& group, double scale_x, double scale_y,
                       const cv::Size& image);

}  // namespace skinmask
