// Which colours the skin of a picture has: means and standard deviations of red, green and blue
// over its mask, and over parts of each face.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "skinmask/detect/seed_finder.h"

namespace [[gnu::visibility("default")]] skinmask {

// Sums of the bytes of so many pixels and of their squares, in the order B G R: exact, in whatever
// order they are added. Of at most 2^30 pixels.
struct ColorSums {
  std::uint64_t pixels = 0;
  std::array<std::uint64_t, 3> sums{}, squares{};

  ColorSums& operator+=(const ColorSums& other);
  bool operator==(const ColorSums&) const = default;
  // Of a channel (0 blue, 1 green, 2 red), 0 to 255; the deviation is that of these pixels (divided
  // by their number). The exact value but for the last bits; where there is no pixel, not a number.
  double Mean(std::size_t channel) const;
  double Deviation(std::size_t channel) const;
};

// What is measured of a face: an ellipse in its frame each, without what is not skin. kFace is the
// face without its outline. Left and right are those of the picture.
enum class FacePart { kFace, kForehead, kLeftCheek, kRightCheek };
inline constexpr std::size_t kFaceParts = 4;
std::string_view FacePartName(FacePart part);  // "face", "forehead", "left_cheek", "right_cheek"

// Where a part lies in the face's frame: middle and half axes, in sizes of the face.
struct FacePartEllipse {
  double x, y, half_width, half_height;
};
const FacePartEllipse& EllipseOf(FacePart part);

struct MeasuredFace {
  Face face;
  std::array<ColorSums, kFaceParts> parts;

  const ColorSums& of(FacePart part) const { return parts[static_cast<std::size_t>(part)]; }
  bool operator==(const MeasuredFace&) const = default;
};

struct Measurement {
  ColorSums skin;  // all over the mask
  std::vector<MeasuredFace> faces;
};

// Of a mask are left out the pixels that are nearer than so many to what is no skin.
inline constexpr int kUsualErosion = 2;

// Of a picture (CV_8UC3, B G R) and a mask of its size (CV_8UC1; skin is not 0). A pixel counts if
// all pixels that are at most `erosion` (0 up) columns and rows from it, as far as they are in the
// picture, are skin: at the border of a mask colours are mixed with what lies beside it, and there
// it changes from frame to frame. About 1 ms a megapixel.
Measurement Measure(const cv::Mat& bgr, const cv::Mat& mask, std::span<const Face> faces,
                    int erosion = kUsualErosion);

// Draws the box of each face with its number, and the outlines of what is measured, into a picture
// (CV_8UC3).
void DrawFaces(cv::Mat& bgr, std::span<const Face> faces);

}  // namespace skinmask
