#include "detect/adapt/hog_boxes.h"

#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <tuple>

#include "detect/adapt/hog_tables.h"

namespace skinmask {
namespace {

struct Rectangle {
  double left, top, right, bottom;

  // The coordinates of a point in the next larger level of the pyramid, and in the next smaller
  // one.
  Rectangle Larger() const {
    return Each([](double p) { return p * 6 / 5 + .3; });
  }
  Rectangle Smaller() const {
    return Each([](double p) { return (p - .3) * 5 / 6; });
  }
  Rectangle Rounded() const {
    return Each([](double p) { return std::floor(p + .5); });
  }

 private:
  template <class Act>
  Rectangle Each(const Act& act) const {
    return {act(left), act(top), act(right), act(bottom)};
  }
};

// The coordinate, in the picture of its level, of the centre of a window's first or last cell.
double PixelOfCell(int cell) {
  const int pixel = (cell + 1) * kHogCell + 1;
  return pixel + (pixel >= 0 ? kHogCell / 2 : -kHogCell / 2);
}

cv::Rect RectOf(const HogFace& a) {
  return {a.left, a.top, a.right - a.left + 1, a.bottom - a.top + 1};
}

bool Overlap(const HogFace& a, const HogFace& b) {
  // Shares of the area of the box around both, and of the area of the smaller one.
  constexpr double kOfBoth = .33, kOfOne = .788;
  const cv::Rect2d one = RectOf(a), other = RectOf(b);
  const double inner = (one & other).area();
  return inner > kOfBoth * (one | other).area() ||
         inner > kOfOne * std::min(one.area(), other.area());
}

}  // namespace

int HogLevels(int width, int height) {
  constexpr double kLeast = 64;
  Rectangle r{0, 0, width - 1., height - 1.};
  int levels = 0;
  do {
    r = r.Smaller().Rounded();
    ++levels;
  } while (r.right - r.left + 1 >= kLeast && r.bottom - r.top + 1 >= kLeast);
  return levels;
}

HogFace FaceOfWindow(int pattern, int row, int column, double score, int level) {
  Rectangle box{PixelOfCell(column), PixelOfCell(row), PixelOfCell(column + kHogWindow - 1),
                PixelOfCell(row + kHogWindow - 1)};
  for (int k = 0; k < level; ++k) box = box.Larger();
  box = box.Rounded();
  return {score,
          pattern,
          static_cast<int>(box.left),
          static_cast<int>(box.top),
          static_cast<int>(box.right),
          static_cast<int>(box.bottom)};
}

bool IsBetter(const HogFace& a, const HogFace& b) {
  return std::tie(b.score, a.pattern, a.left, a.top, a.right, a.bottom) <
         std::tie(a.score, b.pattern, b.left, b.top, b.right, b.bottom);
}

std::vector<std::vector<HogFace>> GroupsOf(std::vector<HogFace> faces) {
  std::sort(faces.begin(), faces.end(), IsBetter);
  std::vector<std::vector<HogFace>> groups;
  for (const HogFace& face : faces) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& members) {
      return Overlap(face, members.front());
    });
    if (group == groups.end())
      groups.push_back({face});
    else
      group->push_back(face);
  }
  return groups;
}

}  // namespace skinmask
