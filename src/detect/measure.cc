#include "skinmask/detect/measure.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <opencv2/imgproc.hpp>
#include <string>

#include "media/picture_type.h"
#include "skinmask/base/error.h"
#include "skinmask/base/int128.h"

namespace skinmask {
namespace {

constexpr std::string_view kPartNames[kFaceParts] = {"face", "forehead", "left_cheek",
                                                     "right_cheek"};

// The face is about the ellipse that adaptation learns from (SeedSkinOptions): it leaves out
// fringes and shadows below the chin, where masks change from frame to frame. The other parts lie
// where skin is smooth and mostly free of hair, brows and glasses.
constexpr FacePartEllipse kPartEllipses[kFaceParts] = {
    {0, .05, .32, .38}, {0, -.31, .18, .075}, {-.2, .12, .1, .1}, {.2, .12, .1, .1}};

// Adds the pixels of a row where `mask` is not 0. Parts without any are passed over.
void AddRow(const std::uint8_t* bgr, const std::uint8_t* mask, int count, ColorSums& total) {
  constexpr int kAtOnce = 64;  // whose sums fit in 32 bits
  static constexpr std::uint8_t kNone[kAtOnce] = {};
  for (int begin = 0, end = 0; begin < count; begin = end) {
    end = std::min(count, begin + kAtOnce);
    if (std::memcmp(mask + begin, kNone, static_cast<std::size_t>(end - begin)) == 0) continue;
    std::uint32_t pixels = 0, b = 0, g = 0, r = 0, bb = 0, gg = 0, rr = 0;
    for (int x = begin; x < end; ++x) {
      const std::uint32_t one = mask[x] != 0;
      const std::uint32_t blue = one * bgr[3 * x], green = one * bgr[3 * x + 1],
                          red = one * bgr[3 * x + 2];
      pixels += one;
      b += blue, g += green, r += red;
      bb += blue * blue, gg += green * green, rr += red * red;
    }
    total += {pixels, {b, g, r}, {bb, gg, rr}};
  }
}

// The columns of row `y` whose centres lie in the ellipse. (They are contiguous, because a line
// intersects an ellipse in one segment.)
cv::Range ColumnsIn(const FacePartEllipse& part, const FaceFrame& face, int y, const cv::Rect& in) {
  const cv::Point2d first = face.FromImage({in.x + .5, y + .5});
  const cv::Point2d step = face.FromImage({in.x + 1.5, y + .5}) - first;
  const auto is_in = [&](int x) {
    const double u = (first.x + (x - in.x) * step.x - part.x) / part.half_width;
    const double v = (first.y + (x - in.x) * step.y - part.y) / part.half_height;
    return u * u + v * v < 1;
  };
  int begin = in.x, end = in.x + in.width;
  while (begin < end && !is_in(begin)) ++begin;
  while (end > begin && !is_in(end - 1)) --end;
  return {begin, end};
}

ColorSums SumsIn(const FacePartEllipse& part, const FaceFrame& face, const cv::Mat& bgr,
                 const cv::Mat& mask) {
  ColorSums sums;
  // For any tilt of the face.
  const double reach = face.size * std::max(part.half_width, part.half_height) + 1;
  const cv::Rect around = FaceFrame{face.ToImage({part.x, part.y}), 2 * reach, 0}.Box(bgr.size());
  for (int y = around.y; y < around.y + around.height; ++y) {
    const cv::Range columns = ColumnsIn(part, face, y, around);
    AddRow(bgr.ptr(y, columns.start), mask.ptr(y, columns.start), columns.size(), sums);
  }
  return sums;
}

cv::Mat Eroded(const cv::Mat& mask, int pixels) {
  if (pixels == 0) return mask;
  // Beyond the picture everything counts as skin, so a square larger than the picture changes
  // nothing.
  const int sides = std::min(pixels, std::max(mask.cols, mask.rows));
  cv::Mat eroded;  // not the caller's
  cv::erode(mask, eroded, cv::Mat(), {-1, -1}, sides,
            cv::BORDER_CONSTANT | cv::BORDER_ISOLATED,  // the mask may lie in a larger picture
            cv::Scalar::all(std::numeric_limits<std::uint8_t>::max()));
  return eroded;
}

}  // namespace

ColorSums& ColorSums::operator+=(const ColorSums& other) {
  pixels += other.pixels;
  for (std::size_t c = 0; c < sums.size(); ++c) {
    sums[c] += other.sums[c];
    squares[c] += other.squares[c];
  }
  return *this;
}

double ColorSums::Mean(std::size_t channel) const {
  if (pixels == 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(sums[channel]) / static_cast<double>(pixels);
}

double ColorSums::Deviation(std::size_t channel) const {
  if (pixels == 0) return std::numeric_limits<double>::quiet_NaN();
  const Int128 sum = sums[channel];
  const Int128 scaled = static_cast<Int128>(pixels) * squares[channel] - sum * sum;
  return std::sqrt(static_cast<double>(scaled)) / static_cast<double>(pixels);
}

std::string_view FacePartName(FacePart part) { return kPartNames[static_cast<std::size_t>(part)]; }

const FacePartEllipse& EllipseOf(FacePart part) {
  return kPartEllipses[static_cast<std::size_t>(part)];
}

Measurement Measure(const cv::Mat& bgr, const cv::Mat& mask, std::span<const Face> faces,
                    int erosion) {
  RequireType(bgr, CV_8UC3, "image");
  RequirePicture(mask, CV_8UC1, bgr.size(), "mask");
  if (erosion < 0) throw Error("erosion", std::to_string(erosion) + " is below 0 (pixels)");
  const cv::Mat inner = Eroded(mask, erosion);
  Measurement measured;
  for (int y = 0; y < bgr.rows; ++y) AddRow(bgr.ptr(y), inner.ptr(y), bgr.cols, measured.skin);
  for (const Face& face : faces) {
    MeasuredFace& of_face = measured.faces.emplace_back(MeasuredFace{face, {}});
    for (std::size_t i = 0; i < kFaceParts; ++i)
      of_face.parts[i] = SumsIn(kPartEllipses[i], face.frame, bgr, inner);
  }
  return measured;
}

}  // namespace skinmask
