#include "programs/live/view.h"

#include <algorithm>
#include <array>
#include <opencv2/imgproc.hpp>

#include "skinmask/base/error.h"
#include "skinmask/detect/draw.h"

namespace skinmask::live {
namespace {

constexpr std::array<std::string_view, kViewCount> kNames{"overlay", "mask", "probability", "both"};

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

}  // namespace

std::string_view ViewName(View view) { return kNames[static_cast<std::size_t>(view)]; }

View ViewFromName(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end())
    throw Error("view '" + std::string(name) + "'",
                "is unknown (overlay, mask, probability, both)");
  return static_cast<View>(found - kNames.begin());
}

bool NeedsBgr(View view) { return view == View::kOverlay || view == View::kBoth; }

cv::Mat Draw(View view, const Observation& o, bool with_region) {
  cv::Mat picture;
  switch (view) {
    case View::kOverlay:
      picture = DrawOverlay(o.bgr, o.maps.mask);
      break;
    case View::kMask:
      if (!with_region || !o.region) return o.maps.mask;
      cv::cvtColor(o.maps.mask, picture, cv::COLOR_GRAY2BGR);
      break;
    case View::kProbability:
      picture = HeatMap(o.maps.probability);
      break;
    case View::kBoth:
      cv::hconcat(Halved(Draw(View::kOverlay, o, with_region)),
                  Halved(Draw(View::kProbability, o, with_region)), picture);
      return picture;
  }
  if (with_region && o.region) DrawRegion(picture, *o.region);
  return picture;
}

cv::Point InFrame(View view, const cv::Size& frame, const cv::Point& point) {
  if (view != View::kBoth) return point;
  const int half = (frame.width + 1) / 2;
  return {2 * (point.x % half), 2 * point.y};
}

void DrawText(cv::Mat& bgr, const std::vector<std::string>& lines) {
  const double scale = std::max(0.45, bgr.cols / 1600.0);
  const int thickness = scale > 0.9 ? 2 : 1;
  const int pitch = cvRound(34 * scale), margin = cvRound(12 * scale);
  int width = 0;
  for (const std::string& line : lines)
    width = std::max(
        width, cv::getTextSize(line, cv::FONT_HERSHEY_SIMPLEX, scale, thickness, nullptr).width);
  const cv::Rect box =
      cv::Rect(0, 0, width + 2 * margin, static_cast<int>(lines.size()) * pitch + margin) &
      cv::Rect({}, bgr.size());
  cv::Mat ground = bgr(box);
  ground.convertTo(ground, CV_8U, 0.35);
  for (std::size_t i = 0; i < lines.size(); ++i)
    cv::putText(bgr, lines[i], {margin, (static_cast<int>(i) + 1) * pitch},
                cv::FONT_HERSHEY_SIMPLEX, scale, {255, 255, 255}, thickness, cv::LINE_AA);
}

}  // namespace skinmask::live
