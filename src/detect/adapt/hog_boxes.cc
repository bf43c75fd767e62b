#include "detect/adapt/hog_boxes.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace skinmask {
namespace {

// The coordinate, in the picture of its level, of the centre of a window's first or last cell.
double PixelOfCell(int cell) {
  const int pixel = (cell + 1) * kHogCell + 1;
  return pixel + (pixel >= 0 ? kHogCell / 2 : -kHogCell / 2);
}

cv::Rect RectOf(const HogFace& a) {
  return {a.left, a.top, a.right - a.left + 1, a.bottom - a.top + 1};
}

// Of about the same place and size.
bool AreAlike(const HogFace& a, const HogFace& b) {
  constexpr double kOfBoth = .33;  // the share of the box around both
  const cv::Rect2d one = RectOf(a), other = RectOf(b);
  return (one & other).area() > kOfBoth * (one | other).area();
}

// Alike, or one is within the other.
bool Overlap(const HogFace& a, const HogFace& b) {
  constexpr double kOfOne = .788;  // the share of the smaller one
  const cv::Rect2d one = RectOf(a), other = RectOf(b);
  return AreAlike(a, b) || (one & other).area() > kOfOne * std::min(one.area(), other.area());
}

constexpr int kFirstLying = 3;  // of kHogTurns

// The position of the face's frame relative to the box of each template, in heights of the box:
// medians over 271 faces of ECU and 'groups' that YuNet finds, too (tilts rounded).
struct Framing {
  double size, right, down, tilt_degrees;
};
constexpr Framing kFramings[kHogPatterns] = {{1.16, 0, -.10, 0},       // front
                                             {1.10, .08, -.04, 0},     // looking left
                                             {1.10, -.08, -.04, 0},    // looking right
                                             {1.16, -.03, -.09, -12},  // tilted
                                             {1.16, .05, -.09, 8}};

// The box of a face that fills the picture is too small: compared with YuNet's frames, by 2 % if
// the face is a tenth of the picture's side, and by 12 % at two thirds. `share` is the face's size
// over the square root of the picture's pixel count. (The factor that is best for F1 is smaller:
// docs/accuracy.md.)
double SizeInCloseUp(double share) {
  constexpr double kFrom = .45, kTo = .65, kMax = 1.08;
  return 1 + (kMax - 1) * std::clamp((share - kFrom) / (kTo - kFrom), 0., 1.);
}

FaceFrame FrameOf(const HogFace& found, double scale_x, double scale_y) {
  const Framing& framing = kFramings[found.pattern % kHogPatterns];
  const HogTurn& turn = kHogTurns[found.pattern / kHogPatterns];
  const double height = (found.bottom - found.top + 1) * scale_y;
  const double right = turn.cosine * framing.right - turn.sine * framing.down;
  const double down = turn.sine * framing.right + turn.cosine * framing.down;
  const cv::Point2d middle((found.left + found.right + 1) / 2.,
                           (found.top + found.bottom + 1) / 2.);
  return {{middle.x * scale_x + height * right, middle.y * scale_y + height * down},
          height * framing.size,
          turn.radians + framing.tilt_degrees * std::numbers::pi / 180};
}

// Windows are a tenth of a face apart and differ in size by a fifth. The mean of the windows of a
// face that are about as large as the best, weighted by how near their scores are to the best
// score, is nearer to YuNet's frame than the best window alone (ECU: median distance 0.015 instead
// of 0.025 sizes of the face). Sizes are averaged as reciprocals, that is as scales, by products,
// sums and quotients alone, which give the same bits on every CPU.
FaceFrame MeanFrame(const std::vector<HogFace>& group, double scale_x, double scale_y) {
  constexpr double kReach = 1;  // a score this far below the best has weight 0
  FaceFrame mean{{0, 0}, 0, 0};
  double sum = 0;
  // Windows of another turn do not show a lying head, though some score nearly as well.
  const int turn = group.front().pattern / kHogPatterns;
  for (const HogFace& face : group) {
    // A small window on the nose, or a large one around the head, is in the group, too.
    if (!AreAlike(face, group.front())) continue;
    const int other = face.pattern / kHogPatterns;
    if (other != turn && std::max(turn, other) >= kFirstLying) continue;
    const double weight = std::max(kReach + face.score - group.front().score, 0.);
    const FaceFrame frame = FrameOf(face, scale_x, scale_y);
    mean.centre += weight * frame.centre;
    mean.size += weight / frame.size;
    mean.tilt += weight * frame.tilt;
    sum += weight;
  }
  return {mean.centre / sum, sum / mean.size, mean.tilt / sum};
}

}  // namespace

int HogLevels(int width, int height) {
  constexpr double kLeast = 64;
  // The last pixel in the next smaller level of the pyramid.
  const auto smaller = [](double last) { return std::floor((last - .3) * 5 / 6 + .5); };
  double right = width - 1., bottom = height - 1.;
  int levels = 0;
  do {
    right = smaller(right);
    bottom = smaller(bottom);
    ++levels;
  } while (std::min(right, bottom) + 1 >= kLeast);
  return levels;
}

HogFace FaceOfWindow(int pattern, int row, int column, double score, int level) {
  const auto edge = [level](int cell) {
    double pixel = PixelOfCell(cell);
    for (int k = 0; k < level; ++k) pixel = pixel * 6 / 5 + .3;  // in the next larger level
    return static_cast<int>(std::floor(pixel + .5));
  };
  const int last = kHogWindow - 1;
  return {score, pattern, edge(column), edge(row), edge(column + last), edge(row + last)};
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

FaceFrame FrameOfGroup(const std::vector<HogFace>& group, double scale_x, double scale_y,
                       const cv::Size& image) {
  FaceFrame face = MeanFrame(group, scale_x, scale_y);
  face.size *= SizeInCloseUp(face.size / std::sqrt(static_cast<double>(image.area())));
  return face;
}

int LargestOf(std::vector<HogFace> windows, double certain) {
  std::erase_if(windows, [=](const HogFace& window) { return window.score < certain; });
  int largest = 0;
  for (const auto& group : GroupsOf(std::move(windows)))
    largest = std::max(largest, group.front().size());
  return largest;
}

}  // namespace skinmask
