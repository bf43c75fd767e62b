#include "detect/adapt/hog_frames.h"

#include <algorithm>
#include <cmath>

namespace skinmask {
namespace {

constexpr int kFirstLying = 3;  // of kHogTurns

// How a box of each of the five detectors lies to the frame of the face, in heights of the box:
// medians over 271 faces of ECU and 'groups' that YuNet finds too (tilts rounded).
struct Framing {
  double size, right, down, tilt_degrees;
};
constexpr Framing kFramings[kHogPatterns] = {{1.16, 0, -.10, 0},       // front
                                             {1.10, .08, -.04, 0},     // looking left
                                             {1.10, -.08, -.04, 0},    // looking right
                                             {1.16, -.03, -.09, -12},  // tilted
                                             {1.16, .05, -.09, 8}};

// Of a face that fills the picture the box is smaller: beside YuNet's, frames of these sizes are
// too small by 2 % where a face is a tenth of the picture's side, and by 12 % at two thirds.
// `share` is of the root of the picture's pixels. (What F1 gains by is less than that:
// docs/accuracy.md.)
double SizeInCloseUp(double share) {
  constexpr double kFrom = .45, kTo = .65, kMost = 1.08;
  return 1 + (kMost - 1) * std::clamp((share - kFrom) / (kTo - kFrom), 0., 1.);
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

// Windows lie a tenth of a face apart and differ in size by a fifth. The mean of all that show a
// face, weighing by how near their scores are to the best, is twice as near to YuNet's frame as the
// best one alone (ECU: 0.015 instead of 0.025 sizes of the face, medians). Sizes are averaged as
// the scales at which they were found, by products, sums and quotients alone: the bits of every
// CPU.
FaceFrame MeanFrame(const std::vector<HogFace>& group, double scale_x, double scale_y) {
  constexpr double kReach = 1;  // the best score less this weighs nothing
  FaceFrame mean{{0, 0}, 0, 0};
  double sum = 0;
  // Upright nothing of a head that lies is a face, though some windows nearly are.
  const int turn = group.front().pattern / kHogPatterns;
  for (const HogFace& face : group) {
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

FaceFrame FrameOfGroup(const std::vector<HogFace>& group, double scale_x, double scale_y,
                       const cv::Size& image) {
  FaceFrame face = MeanFrame(group, scale_x, scale_y);
  face.size *= SizeInCloseUp(face.size / std::sqrt(static_cast<double>(image.area())));
  return face;
}

}  // namespace skinmask
