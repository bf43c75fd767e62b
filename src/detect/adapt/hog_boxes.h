// Windows of the search for faces as boxes of the picture, as dlib has them.
#pragma once

#include <vector>

#include "detect/adapt/hog_tables.h"

namespace skinmask {

struct HogFace {
  double score;
  int pattern;  // which of the templates, and how the picture was turned (hog_faces.cc)
  int left, top, right, bottom;  // these pixels are within it; it may reach beyond the picture
};

// Pixels of a cell's side, and cells of a window's.
inline constexpr int kHogCell = 8, kHogWindow = static_cast<int>(HogTables::kWindow);
// How often a picture is searched, each time at 5/6 of its size: as long as it is as large as a
// face.
int HogLevels(int width, int height);
// The face that a window of a level shows, in pixels of the picture. Its first cell is that of
// `row` and `column`, counted from the first cell that has neighbours; it may lie before that.
HogFace FaceOfWindow(int pattern, int row, int column, double score, int level);
// By score; of equal ones always the same is first, whatever their order was.
bool IsBetter(const HogFace& a, const HogFace& b);
// Those that overlap much with the best one stand behind it, better ones first; and so on with the
// rest.
std::vector<std::vector<HogFace>> GroupsOf(std::vector<HogFace> faces);

}  // namespace skinmask
