// The colours of a picture's skin: means and standard deviations of red, green and blue over its
// mask, and over parts of each face.
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

// The number of pixels, and the sums of their bytes and of the squares of these, in the order B G
// R: exact, in any order of addition, for up to 2^30 pixels.
struct ColorSums {
  std::uint64_t pixels = 0;
  std::array<std::uint64_t, 3> sums{}, squares{};

  ColorSums& operator+=(const ColorSums& other);
  bool operator==(const ColorSums&) const = default;
  // Mean and standard deviation (divided by the number of pixels) of a channel: 0 blue, 1 green, 2
  // red. 0 to 255, exact but for the last bits; NaN without pixels.
  double Mean(std::size_t channel) const;
  double Deviation(std::size_t channel) const;
};

// The measured parts of a face: an ellipse each in the face's frame, of which only skin counts.
// kFace is the face without its outline. Left and right are those of the picture.
enum class FacePart { kFace, kForehead, kLeftCheek, kRightCheek };
inline constexpr std::size_t kFaceParts = 4;
std::string_view FacePartName(FacePart part);  // "face", "forehead", "left_cheek", "right_cheek"

// Centre and half axes of a part in the face's frame, in sizes of the face.
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
  ColorSums skin;  // of the whole mask
  std::vector<MeasuredFace> faces;
};

// The default erosion of Measure, in pixels.
inline constexpr int kUsualErosion = 2;

// Measures a picture (CV_8UC3, B G R) over a mask of its size (CV_8UC1; skin is not 0). A pixel
// counts if all pixels of the picture that are at most `erosion` (0 or more, else Error) columns
// and rows away are skin, because at the border of a mask colours are mixed with those beside it,
// and the border changes from frame to frame. About 1 ms a megapixel.
Measurement Measure(const cv::Mat& bgr, const cv::Mat& mask, std::span<const Face> faces,
                    int erosion = kUsualErosion);

}  // namespace skinmask
