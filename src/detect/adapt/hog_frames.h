// Where the face is that windows of HOG detectors show.
#pragma once

#include <numbers>
#include <opencv2/core.hpp>
#include <vector>

#include "detect/adapt/hog_boxes.h"
#include "skinmask/detect/seed_finder.h"

namespace skinmask {

// Patterns are those of the five detectors, of which the last two are of tilted heads, and these
// again for the picture turned so that heads are upright that are tilted to the right, and to the
// left, and that lie.
inline constexpr int kHogPatterns = 5, kFirstTiltedHog = 3;

struct HogTurn {
  double cosine, sine, radians;
};
inline constexpr double kCosineOf30 = .8660254037844386;  // the bits of every CPU
inline constexpr HogTurn kHogTurns[] = {{1, 0, 0},
                                        {kCosineOf30, .5, std::numbers::pi / 6},
                                        {kCosineOf30, -.5, -std::numbers::pi / 6},
                                        {0, 1, std::numbers::pi / 2},
                                        {0, -1, -std::numbers::pi / 2},
                                        {-1, 0, std::numbers::pi}};

// Of windows of one face, the best first (GroupsOf). A pixel of theirs is scale_x pixels of the
// `image` wide and scale_y high.
FaceFrame FrameOfGroup(const std::vector<HogFace>& group, double scale_x, double scale_y,
                       const cv::Size& image);

}  // namespace skinmask
