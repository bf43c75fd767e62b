#include "skinmask/detect/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numbers>
#include <opencv2/imgproc.hpp>

#include "base/parallel_rows.h"
#include "media/picture_type.h"
#include "skinmask/base/error.h"
#include "skinmask/detect/measure.h"

namespace skinmask {
namespace {

void RequirePair(const cv::Mat& bgr, const cv::Mat& mask) {
  RequireType(bgr, CV_8UC3, "image");
  RequirePicture(mask, CV_8UC1, bgr.size(), "mask");
}

// The border mode for OpenCV's morphology. A mask may be a part of a larger matrix, as one that
// becomes a PNG is; the bytes beside it must not be used.
constexpr int kNothingBeside = cv::BORDER_CONSTANT | cv::BORDER_ISOLATED;

// The width in pixels with which a border is visible when the whole picture is shown on a screen.
int BorderWidth(const cv::Size& size) {
  constexpr double kRowsOfScreen = 1000;
  return std::max(1, cvRound(std::min(size.width, size.height) / kRowsOfScreen));
}

// The mask grown by `pixels` pixels: an octagon around each pixel.
cv::Mat Grown(const cv::Mat& mask, int pixels) {
  cv::Mat grown = mask;
  for (int i = 0; i < pixels; ++i) {
    cv::Mat next;  // not the caller's
    cv::dilate(grown, next,
               cv::getStructuringElement(i % 2 == 0 ? cv::MORPH_CROSS : cv::MORPH_RECT, {3, 3}),
               {-1, -1}, 1, kNothingBeside);
    grown = next;
  }
  return grown;
}

// A ramp from 0 to 255 over P(skin), in 255ths, around the threshold.
cv::Mat RampAround(double threshold) {
  constexpr int kSlope = 2;
  cv::Mat ramp(1, 256, CV_8UC1);
  const int middle = cvRound(255 * threshold);
  for (int p = 0; p < 256; ++p)
    ramp.at<std::uint8_t>(p) = cv::saturate_cast<std::uint8_t>(128 + kSlope * (p - middle));
  return ramp;
}

// Means over squares, rounded; the sums are exact integers.
cv::Mat BoxMean(const cv::Mat& picture, int radius) {
  if (radius == 0) return picture;
  const int side = 2 * radius + 1, count = side * side;
  cv::Mat sums, mean(picture.size(), CV_8UC1);
  cv::boxFilter(picture, sums, CV_32S, {side, side}, {-1, -1}, false, cv::BORDER_REPLICATE);
  ForRowsOf(picture.cols, picture.rows, [&](int y) {
    const int* const sum = sums.ptr<int>(y);
    std::uint8_t* const row = mean.ptr(y);
    for (int x = 0; x < picture.cols; ++x)
      row[x] = static_cast<std::uint8_t>((sum[x] + count / 2) / count);
  });
  return mean;
}

// A point for OpenCV's functions that take coordinates with kShift binary places.
constexpr int kShift = 4;
cv::Point Fixed(const cv::Point2d& point) {
  const auto fixed = [](double x) {
    constexpr double kFar = 1 << 20;
    return cvRound(std::clamp(x, -kFar, kFar) * (1 << kShift));
  };
  return {fixed(point.x), fixed(point.y)};
}

}  // namespace

std::string ClassPalette(std::size_t count) {
  // The eight colours of Okabe and Ito, which colour-blind people can distinguish: the positive
  // class is orange, the second black. Further classes take hues by the golden angle.
  static constexpr unsigned char kFirst[][3] = {{230, 159, 0}, {0, 0, 0},      {86, 180, 233},
                                                {0, 158, 115}, {240, 228, 66}, {0, 114, 178},
                                                {213, 94, 0},  {204, 121, 167}};
  std::string rgb;
  for (std::size_t i = 0; i < count; ++i) {
    if (i < std::size(kFirst)) {
      rgb.append(std::begin(kFirst[i]), std::end(kFirst[i]));
      continue;
    }
    const cv::Mat3b hsv(1, 1,
                        cv::Vec3b(static_cast<std::uint8_t>(i * 69 % 180), 160,
                                  static_cast<std::uint8_t>(i % 2 ? 230 : 160)));
    cv::Mat3b color;
    cv::cvtColor(hsv, color, cv::COLOR_HSV2RGB);
    rgb.append(color(0, 0).val, color(0, 0).val + 3);
  }
  return rgb;
}

cv::Mat InPalette(const cv::Mat& indices, const std::string& rgb) {
  RequireType(indices, CV_8UC1, "indices");
  constexpr std::size_t kMax = 256;
  if (rgb.size() > 3 * kMax)
    throw Error("palette", fmt::format("has {} colours (at most {})", rgb.size() / 3, kMax));
  cv::Mat table(1, kMax, CV_8UC3, cv::Scalar()), picture, three;
  for (std::size_t i = 0; i < rgb.size() / 3; ++i)
    for (std::size_t c = 0; c < 3; ++c)
      table.data[3 * i + c] = static_cast<std::uint8_t>(rgb[3 * i + 2 - c]);
  cv::cvtColor(indices, three, cv::COLOR_GRAY2BGR);
  cv::LUT(three, table, picture);
  return picture;
}

cv::Mat DrawOverlay(const cv::Mat& bgr, const cv::Mat& mask, cv::Mat overlay) {
  RequirePair(bgr, mask);
  const cv::Vec3b kBorderGreen(64, 255, 64);
  std::array<std::uint8_t, 256> dimmed;
  for (std::size_t i = 0; i < dimmed.size(); ++i)
    dimmed[i] = cv::saturate_cast<std::uint8_t>(0.3f * static_cast<float>(i));
  // The border consists of the pixels without skin that are in the grown mask.
  const cv::Mat grown = Grown(mask, BorderWidth(bgr.size()));
  overlay.create(bgr.size(), CV_8UC3);
  ForRowsOf(bgr.cols, bgr.rows, [&](int y) {
    const std::uint8_t *const skin = mask.ptr(y), *const around = grown.ptr(y);
    const cv::Vec3b* const from = bgr.ptr<cv::Vec3b>(y);
    cv::Vec3b* const to = overlay.ptr<cv::Vec3b>(y);
    for (int x = 0; x < bgr.cols; ++x) {
      if ((around[x] & ~skin[x]) != 0)
        to[x] = kBorderGreen;
      else if (skin[x] != 0)
        to[x] = from[x];
      else
        to[x] = {dimmed[from[x][0]], dimmed[from[x][1]], dimmed[from[x][2]]};
    }
  });
  return overlay;
}

cv::Mat CutOut(const cv::Mat& bgr, const cv::Mat& mask, cv::Mat bgra) {
  RequirePair(bgr, mask);
  cv::merge(std::vector<cv::Mat>{bgr, mask}, bgra);
  return bgra;
}

int FeatherOf(const cv::Size& size) {
  constexpr int kSharp = 300;
  return std::max(2, std::min(size.width, size.height) / kSharp);
}

cv::Mat FeatheredAlpha(const cv::Mat& mask, const cv::Mat& probability, double threshold,
                       int width) {
  RequireType(mask, CV_8UC1, "mask");
  RequirePicture(probability, CV_8UC1, mask.size(), "probability");
  RequireThreshold(threshold);
  constexpr int kMaxWidth = 100;
  if (width < 0 || width > kMaxWidth)
    throw Error(fmt::format("`feather` {}", width),
                fmt::format("is out of range (0 to {})", kMaxWidth));
  if (width == 0) return mask;
  const cv::Mat square(2 * width + 1, 2 * width + 1, CV_8UC1, cv::Scalar(1));
  cv::Mat outer, inner, soft;
  cv::dilate(mask, outer, square, {-1, -1}, 1, kNothingBeside);
  cv::erode(mask, inner, square, {-1, -1}, 1, kNothingBeside);
  cv::LUT(probability, RampAround(threshold), soft);
  const cv::Mat least = mask & 128, most = mask | 127;
  cv::max(soft, least, soft);  // stays on the mask's side of 128
  cv::min(soft, most, soft);
  cv::max(soft, inner, soft);  // and is the mask away from its border
  cv::min(soft, outer, soft);
  const int radius = std::max(1, width / 2);
  return BoxMean(BoxMean(soft, radius), width - radius);
}

cv::Mat OnBlack(const cv::Mat& bgr, const cv::Mat& alpha) {
  RequirePair(bgr, alpha);
  cv::Mat alphas, result;
  cv::cvtColor(alpha, alphas, cv::COLOR_GRAY2BGR);
  cv::multiply(bgr, alphas, result, 1. / 255);  // no product is half way between two bytes
  return result;
}

// Light lines on wider dark ones are visible on any picture.
void DrawFaces(cv::Mat& bgr, std::span<const Face> faces) {
  RequireType(bgr, CV_8UC3, "image");
  constexpr double kHeightOfDigits = 22;
  const int width = BorderWidth(bgr.size());
  const auto draw = [&](const Face& face, const cv::Scalar& color, int thickness) {
    cv::rectangle(bgr, face.box, color, thickness);
    for (std::size_t i = 0; i < kFaceParts; ++i) {
      const FacePartEllipse& part = EllipseOf(static_cast<FacePart>(i));
      const cv::Point2d centre = face.frame.ToImage({part.x, part.y}) - cv::Point2d(.5, .5);
      const cv::Point2d half_axes =
          face.frame.size * cv::Point2d(part.half_width, part.half_height);
      cv::ellipse(bgr, Fixed(centre), cv::Size(Fixed(half_axes)), face.frame.TiltDegrees(), 0, 360,
                  color, thickness, cv::LINE_AA, kShift);
    }
    const double scale = std::max(.4, face.box.height / 8 / kHeightOfDigits);
    cv::putText(bgr, std::to_string(face.id),
                face.box.tl() + cv::Point(3 * width, cvRound(scale * kHeightOfDigits) + 3 * width),
                cv::FONT_HERSHEY_SIMPLEX, scale, color, thickness, cv::LINE_AA);
  };
  for (const Face& face : faces) {
    draw(face, cv::Scalar::all(0), 3 * width);
    draw(face, cv::Scalar(255, 255, 255), width);
  }
}

void DrawRegion(cv::Mat& bgr, const Region& region) {
  RequireType(bgr, CV_8UC3, "image");
  if (!(region.semi_major >= 0 && region.semi_minor >= 0))
    throw Error("region", "has an axis below 0");
  const double angle = region.angle_degrees * std::numbers::pi / 180;
  const cv::Point2d along = region.semi_major * cv::Point2d(std::cos(angle), std::sin(angle));
  const int width = std::max(1, bgr.cols / 640);
  const auto draw = [&](const cv::Scalar& color, int thickness) {
    cv::ellipse(bgr, Fixed(region.centroid),
                cv::Size(Fixed({region.semi_major, region.semi_minor})), region.angle_degrees, 0,
                360, color, thickness, cv::LINE_AA, kShift);
    cv::line(bgr, Fixed(region.centroid - along), Fixed(region.centroid + along), color, thickness,
             cv::LINE_AA, kShift);
    cv::circle(bgr, Fixed(region.centroid), (3 * width) << kShift, color, thickness, cv::LINE_AA,
               kShift);
  };
  draw({0, 0, 0}, 3 * width);
  draw({0, 255, 255}, width);
}

}  // namespace skinmask
