#include "programs/live/view.h"

#include <algorithm>
#include <array>
#include <opencv2/imgproc.hpp>

#include "skinmask/base/error.h"
#include "skinmask/detect/draw.h"
#include "skinmask/detect/uncertainty.h"

namespace skinmask::live {
namespace {

constexpr std::array<std::string_view, kViewCount> kNames{
    "overlay", "mask", "probability", "both", "split", "cutout", "uncertainty"};

cv::Mat HeatMap(const cv::Mat& probability) {
  cv::Mat colors;
  cv::applyColorMap(probability, colors, cv::COLORMAP_INFERNO);
  return colors;
}

cv::Mat Halved(const cv::Mat& picture) {
  cv::Mat half;
  cv::resize(picture, half, {(picture.cols + 1) / 2, (picture.rows + 1) / 2}, 0, 0, cv::INTER_AREA);
  return half;
}

// The frame as it is, left of the divider, and a line between.
void Divide(cv::Mat& overlay, const cv::Mat& bgr, double divider) {
  const int width = overlay.cols;
  const int at = cvRound(std::clamp(divider, 0.0, 1.0) * width);
  const cv::Rect before(0, 0, at, overlay.rows);
  if (at > 0) bgr(before).copyTo(overlay(before));
  const int thickness = std::max(1, width / 640), left = std::min(at, width - thickness);
  overlay.colRange(left, left + thickness).setTo(cv::Scalar::all(255));
}

// Shades of a colour, one for each grey.
cv::Mat Shaded(const cv::Mat& grey, const cv::Vec3b& color, double darkest) {
  cv::Mat shades(256, 1, CV_8UC3), shaded;
  for (int i = 0; i < 256; ++i)
    shades.at<cv::Vec3b>(i) = cv::Vec3d(color) * (darkest + (1 - darkest) * i / 255);
  cv::applyColorMap(grey, shaded, shades);
  return shaded;
}

// Two colours that differ in lightness too, for eyes that confuse hues, over dark greys.
cv::Mat MarkedUncertain(const cv::Mat& bgr, const cv::Mat& uncertainty) {
  const cv::Vec3b dim(128, 128, 128), yellow(60, 220, 255), blue(255, 110, 40);
  cv::Mat grey;
  cv::cvtColor(bgr, grey, cv::COLOR_BGR2GRAY);
  const cv::Mat picture = Shaded(grey, dim, 0);
  Shaded(grey, yellow, 0.4).copyTo(picture, uncertainty == Uncertainty::kUnsure);
  Shaded(grey, blue, 0.4).copyTo(picture, uncertainty == Uncertainty::kUnexplained);
  return picture;
}

}  // namespace

std::string_view ViewName(View view) { return kNames[static_cast<std::size_t>(view)]; }

View ViewFromName(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end())
    throw Error("view '" + std::string(name) + "'",
                "is unknown (overlay, mask, probability, both, split, cutout, uncertainty)");
  return static_cast<View>(found - kNames.begin());
}

bool NeedsBgr(View view) { return view != View::kMask && view != View::kProbability; }

Observation Shrunk(const Observation& o, const cv::Size& size) {
  Observation small;
  const auto shrink = [&](const cv::Mat& from, cv::Mat& to, int how) {
    if (!from.empty()) cv::resize(from, to, size, 0, 0, how);
  };
  // Means over areas are slow where few pixels fall together, and there hardly to be seen.
  const int how = 2 * size.width <= o.maps.mask.cols ? cv::INTER_AREA : cv::INTER_LINEAR;
  shrink(o.bgr, small.bgr, how);
  shrink(o.behind, small.behind, how);
  shrink(o.maps.mask, small.maps.mask, cv::INTER_NEAREST);
  shrink(o.maps.probability, small.maps.probability, how);
  shrink(o.maps.uncertainty, small.maps.uncertainty, cv::INTER_NEAREST);
  return small;
}

cv::Mat Draw(View view, const Observation& o, const DrawOptions& options) {
  const bool with_region = options.with_region && o.region;
  cv::Mat picture;
  switch (view) {
    case View::kOverlay:
      picture = DrawOverlay(o.bgr, o.maps.mask);
      break;
    case View::kMask:
      if (!with_region) return o.maps.mask;
      cv::cvtColor(o.maps.mask, picture, cv::COLOR_GRAY2BGR);
      break;
    case View::kProbability:
      picture = HeatMap(o.maps.probability);
      break;
    case View::kBoth:
      cv::hconcat(Halved(Draw(View::kOverlay, o, options)),
                  Halved(Draw(View::kProbability, o, options)), picture);
      return picture;
    case View::kSplit:
      picture = DrawOverlay(o.bgr, o.maps.mask);
      Divide(picture, o.bgr, options.divider);
      break;
    case View::kCutout:
      picture = o.behind.clone();
      o.bgr.copyTo(picture, o.maps.mask);
      break;
    case View::kUncertainty:
      picture = MarkedUncertain(o.bgr, o.maps.uncertainty);
      break;
  }
  if (with_region) DrawRegion(picture, *o.region);
  return picture;
}

std::vector<cv::Rect> FramePlaces(View view, const cv::Size& frame) {
  if (view != View::kBoth) return {cv::Rect({}, frame)};
  const cv::Size half((frame.width + 1) / 2, (frame.height + 1) / 2);
  return {cv::Rect({}, half), cv::Rect({half.width, 0}, half)};
}

cv::Size DrawnSize(View view, const cv::Size& frame) {
  return FramePlaces(view, frame).back().br();
}

cv::Point InFrame(View view, const cv::Size& frame, const cv::Point& point) {
  if (view != View::kBoth) return point;
  const int half = (frame.width + 1) / 2;
  return {2 * (point.x % half), 2 * point.y};
}

}  // namespace skinmask::live
