#include "programs/live/view.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <opencv2/imgproc.hpp>

#include "skinmask/base/error.h"
#include "skinmask/detect/outputs.h"

namespace skinmask::live {
namespace {

cv::Mat Halved(const cv::Mat& picture) {
  cv::Mat half;
  cv::resize(picture, half, {(picture.cols + 1) / 2, (picture.rows + 1) / 2}, 0, 0, cv::INTER_AREA);
  return half;
}

// The frame as it is, left of the divider, the overlay, and a line between.
cv::Mat DrawSplit(Observation& o, const DrawOptions& options) {
  const cv::Mat overlay = Draw(View::kOverlay, o, {});
  const int width = overlay.cols;
  const int at = cvRound(std::clamp(options.divider, 0.0, 1.0) * width);
  const cv::Rect before(0, 0, at, overlay.rows);
  if (at > 0) o.judgement.Bgr()(before).copyTo(overlay(before));
  const int thickness = std::max(1, width / 640), left = std::min(at, width - thickness);
  overlay.colRange(left, left + thickness).setTo(cv::Scalar::all(255));
  return overlay;
}

// Shades of a colour, one for each grey.
cv::Mat Shaded(const cv::Mat& grey, const cv::Vec3b& color, double darkest) {
  cv::Mat shades(256, 1, CV_8UC3), shaded;
  for (int i = 0; i < 256; ++i)
    shades.at<cv::Vec3b>(i) = cv::Vec3d(color) * (darkest + (1 - darkest) * i / 255);
  cv::applyColorMap(grey, shaded, shades);
  return shaded;
}

cv::Mat DrawBoth(Observation& o, const DrawOptions& options) {
  cv::Mat both;
  cv::hconcat(Halved(Draw(View::kOverlay, o, options)),
              Halved(Draw(View::kProbability, o, options)), both);
  return both;
}

cv::Mat DrawOnBackdrop(Observation& o, const DrawOptions&) {
  cv::Mat picture = o.behind.clone();
  o.judgement.Bgr().copyTo(picture, o.judgement.Mask());
  return picture;
}

// Two colours that differ in lightness too, for eyes that confuse hues, over dark greys.
cv::Mat DrawUncertain(Observation& o, const DrawOptions&) {
  const cv::Mat bgr = o.judgement.Bgr(), uncertainty = o.judgement.Uncertainty();
  const cv::Vec3b dim(128, 128, 128), yellow(60, 220, 255), blue(255, 110, 40);
  cv::Mat grey;
  cv::cvtColor(bgr, grey, cv::COLOR_BGR2GRAY);
  const cv::Mat picture = Shaded(grey, dim, 0);
  Shaded(grey, yellow, 0.4).copyTo(picture, uncertainty == Judgement::kUnsure);
  Shaded(grey, blue, 0.4).copyTo(picture, uncertainty == Judgement::kUnexplained);
  return picture;
}

// What a view shows: an output as it is drawn everywhere, or `draw`n by itself. It is called by the
// output's name, and where it has one of its own, by that first.
struct Row {
  View view;
  std::optional<Output> shows;
  std::string_view name = {};
  cv::Mat (*draw)(Observation& o, const DrawOptions& options) = nullptr;
};

constexpr Row kRows[kViewCount] = {
    {View::kOverlay, Output::kOverlay},
    {View::kMask, Output::kMask},
    {View::kProbability, Output::kHeatmap, "probability"},
    {View::kBoth, std::nullopt, "both", DrawBoth},
    {View::kSplit, std::nullopt, "split", DrawSplit},
    {View::kCutout, Output::kCutout, {}, DrawOnBackdrop},
    {View::kUncertainty, Output::kUncertainty, {}, DrawUncertain},
};

const Row& RowOf(View view) { return kRows[static_cast<std::size_t>(view)]; }

}  // namespace

std::string_view ViewName(View view) {
  const Row& row = RowOf(view);
  return row.name.empty() ? KindOf(*row.shows).name : row.name;
}

std::vector<std::string> ViewNames() {
  std::vector<std::string> names;
  for (const Row& row : kRows) names.emplace_back(ViewName(row.view));
  for (const Row& row : kRows)
    if (row.shows && !row.name.empty()) names.emplace_back(KindOf(*row.shows).name);
  return names;
}

View ViewFromName(std::string_view name) {
  for (const Row& row : kRows)
    if (name == row.name || (row.shows && name == KindOf(*row.shows).name)) return row.view;
  throw Error(fmt::format("view '{}'", name),
              fmt::format("is unknown ({})", fmt::join(ViewNames(), ", ")));
}

Observation Shrunk(Observation& observation, const cv::Size& size) {
  Observation small{observation.judgement.Smaller(size)};
  if (!observation.behind.empty())
    cv::resize(observation.behind, small.behind, size, 0, 0,
               2 * size.width <= observation.behind.cols ? cv::INTER_AREA : cv::INTER_LINEAR);
  return small;
}

cv::Mat Draw(View view, Observation& o, const DrawOptions& options) {
  const Row& row = RowOf(view);
  cv::Mat picture = row.draw ? row.draw(o, options) : skinmask::Draw(*row.shows, o.judgement);
  if (!options.ellipse || view == View::kBoth) return picture;
  if (picture.channels() == 1) cv::cvtColor(picture, picture, cv::COLOR_GRAY2BGR);
  DrawRegion(picture, *options.ellipse);
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
