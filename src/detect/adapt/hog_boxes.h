// Windows of the face search as boxes of the picture, with dlib's arithmetic.
#pragma once

#include <vector>

#include "detect/adapt/hog_tables.h"

namespace skinmask {

struct HogFace {
  double score;
  int pattern;                   // the template, and the turn of the picture (hog_frames.h)
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

}  // namespace skinmask
