// Windows of the face search as boxes of the picture, with dlib's arithmetic, and as frames of
// faces.
#pragma once

#include <numbers>
#include <opencv2/core.hpp>
#include <vector>

#include "detect/adapt/hog_tables.h"
#include "skinmask/detect/seed_finder.h"

namespace skinmask {

struct HogFace {
  double score;
  int pattern;                   // the template, and the turn of the picture (kHogTurns)
  int left, top, right, bottom;  // inclusive, in pixels; may reach beyond the picture

  int size() const { return right - left + 1; }
};

// The side of a cell in pixels, and that of a window in cells.
inline constexpr int kHogCell = 8, kHogWindow = static_cast<int>(HogTables::kWindow);
// The number of pyramid levels, each 5/6 of the size of the one before: as long as a level is as
// large as a face.
int HogLevels(int width, int height);
// The face in a window of a level, in pixels of the picture. `row` and `column` are those of its
// first cell, counted from the first cell that has neighbours on all sides; they may be negative.
HogFace FaceOfWindow(int pattern, int row, int column, double score, int level);
// Orders by score, and equal scores in a fixed order.
bool IsBetter(const HogFace& a, const HogFace& b);
// Groups of overlapping faces, best first: the best face and all that overlap much with it, then
// the same for the rest.
std::vector<std::vector<HogFace>> GroupsOf(std::vector<HogFace> faces);

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

// The frame of a group of windows of one face, the best first. A pixel of the windows is
// scale_x pixels of the `image` wide and scale_y high.
FaceFrame FrameOfGroup(const std::vector<HogFace>& group, double scale_x, double scale_y,
                       const cv::Size& image);

// The size of the largest face with at least the score `certain`, by the best of its windows; 0:
// there is none.
int LargestOf(std::vector<HogFace> windows, double certain);

}  // namespace skinmask
