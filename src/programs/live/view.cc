#include "programs/live/view.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <opencv2/imgproc.hpp>

#include "skinmask/base/error.h"
#include "skinmask/detect/draw.h"
#include "skinmask/media/image.h"

namespace skinmask::live {
namespace {

cv::Mat Halved(const cv::Mat& picture) {
  cv::Mat half;
  cv::resize(picture, half, {(picture.cols + 1) / 2, (picture.rows + 1) / 2}, 0, 0, cv::INTER_AREA);
  return half;
}

// The plain frame left of the divider, the overlay right of it, and a line between.
cv::Mat DrawSplit(Judgement& frame, const DrawOptions& options) {
  const cv::Mat overlay = Draw(View::kOverlay, frame, {});
  const int width = overlay.cols;
  const int at = cvRound(std::clamp(options.divider, 0.0, 1.0) * width);
  const cv::Rect before(0, 0, at, overlay.rows);
  if (at > 0) frame.Bgr()(before).copyTo(overlay(before));
  const int thickness = std::max(1, width / 640), left = std::min(at, width - thickness);
  overlay.colRange(left, left + thickness).setTo(cv::Scalar::all(255));
  return overlay;
}

// Maps each grey to a shade of the colour.
cv::Mat Shaded(const cv::Mat& grey, const cv::Vec3b& color, double darkest) {
  cv::Mat shades(256, 1, CV_8UC3), shaded;
  for (int i = 0; i < 256; ++i)
    shades.at<cv::Vec3b>(i) = cv::Vec3d(color) * (darkest + (1 - darkest) * i / 255);
  cv::applyColorMap(grey, shaded, shades);
  return shaded;
}

cv::Mat DrawBoth(Judgement& frame, const DrawOptions& options) {
  cv::Mat both;
  cv::hconcat(Halved(Draw(View::kOverlay, frame, options)),
              Halved(Draw(View::kProbability, frame, options)), both);
  return both;
}

cv::Mat DrawOnBackdrop(Judgement& frame, const DrawOptions& options) {
  cv::Mat picture = options.behind.clone();
  frame.Bgr().copyTo(picture, frame.Mask());
  return picture;
}

// Yellow and blue over dark greys: the two colours differ in lightness, too, for colour-blind
// users.
cv::Mat DrawUncertain(Judgement& frame, const DrawOptions&) {
  const cv::Mat bgr = frame.Bgr(), uncertainty = frame.Uncertainty();
  const cv::Vec3b dim(128, 128, 128), yellow(60, 220, 255), blue(255, 110, 40);
  cv::Mat grey;
  cv::cvtColor(bgr, grey, cv::COLOR_BGR2GRAY);
  const cv::Mat picture = Shaded(grey, dim, 0);
  Shaded(grey, yellow, 0.4).copyTo(picture, uncertainty == Judgement::kUnsure);
  Shaded(grey, blue, 0.4).copyTo(picture, uncertainty == Judgement::kUnexplained);
  return picture;
}

// In the order of View; the first has the key 1.
constexpr ViewKind kViews[] = {
    {.shows = Output::kOverlay, .help = "overlay: what is not skin is dark", .button = "O&verlay"},
    {.shows = Output::kMask, .help = "mask: skin is white", .button = "&Mask"},
    {.shows = Output::kHeatmap,
     .name = "probability",
     .help = "probability of skin as a heat map",
     .button = "Probabilit&y"},
    {.name = "both",
     .help = "overlay and heat map beside each other",
     .button = "Overlay | &heat map",
     .draw = DrawBoth},
    {.name = "split",
     .help = "before | after: the frame, and the overlay right of a divider",
     .button = "Before | &after",
     .draw = DrawSplit},
    {.shows = Output::kCutout,
     .help = "cut-out: the skin alone, on the background of --background",
     .button = "Cut-&out",
     .draw = DrawOnBackdrop},
    {.shows = Output::kUncertainty,
     .help =
         "uncertainty: yellow where the answer is unsure, blue where no class explains the colour",
     .button = "Un&known",
     .draw = DrawUncertain},
};
static_assert(std::size(kViews) <= 9, "each has a digit for its key");

// A screen shows neither transparency nor palettes.
constexpr OutputForm kForm{.transparent = false, .indexed = false};

const ViewKind& KindOf(View view) { return kViews[static_cast<std::size_t>(view)]; }

// Blurs a reduced picture, so the cost does not depend on the amount of blur.
cv::Mat Blurred(const cv::Mat& bgr) {
  constexpr int kTimes = 16;
  const cv::Size size(std::max(1, bgr.cols / kTimes), std::max(1, bgr.rows / kTimes));
  cv::Mat small, blurred;
  cv::resize(bgr, small, size, 0, 0, cv::INTER_AREA);
  cv::GaussianBlur(small, small, {0, 0}, 1.5);
  cv::resize(small, blurred, bgr.size(), 0, 0, cv::INTER_LINEAR);
  return blurred;
}

// Scales the image and crops its centre to `size`.
cv::Mat Covering(const cv::Mat& image, const cv::Size& size) {
  const double scale = std::max(static_cast<double>(size.width) / image.cols,
                                static_cast<double>(size.height) / image.rows);
  const cv::Size part(std::clamp(cvRound(size.width / scale), 1, image.cols),
                      std::clamp(cvRound(size.height / scale), 1, image.rows));
  const cv::Rect middle({(image.cols - part.width) / 2, (image.rows - part.height) / 2}, part);
  cv::Mat covering;
  cv::resize(image(middle), covering, size, 0, 0, scale < 1 ? cv::INTER_AREA : cv::INTER_LINEAR);
  return covering;
}

}  // namespace

std::span<const ViewKind> ViewKinds() { return kViews; }

bool IsGrey(View view) {
  const ViewKind& kind = KindOf(view);
  return kind.shows && !kind.draw && TypeOf(*kind.shows, kForm) == CV_8UC1;
}

std::string_view ViewName(View view) {
  const ViewKind& kind = KindOf(view);
  return kind.name.empty() ? skinmask::KindOf(*kind.shows).name : kind.name;
}

std::vector<std::string> ViewNames() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::size(kViews); ++i)
    names.emplace_back(ViewName(static_cast<View>(i)));
  for (const ViewKind& kind : kViews)
    if (kind.shows && !kind.name.empty()) names.emplace_back(skinmask::KindOf(*kind.shows).name);
  return names;
}

View ViewFromName(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kViews); ++i) {
    const ViewKind& kind = kViews[i];
    if (name == kind.name || (kind.shows && name == skinmask::KindOf(*kind.shows).name))
      return static_cast<View>(i);
  }
  throw Error(fmt::format("view '{}'", name), "is unknown");
}

cv::Mat Draw(View view, Judgement& frame, const DrawOptions& options) {
  const ViewKind& kind = KindOf(view);
  cv::Mat picture =
      kind.draw ? kind.draw(frame, options) : skinmask::Draw(*kind.shows, frame, kForm);
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

cv::Rect Fitted(const cv::Size& picture, const cv::Size& area) {
  if (picture.empty() || area.empty()) return {};
  const double scale = std::min(static_cast<double>(area.width) / picture.width,
                                static_cast<double>(area.height) / picture.height);
  const cv::Size size(std::clamp(cvRound(scale * picture.width), 1, area.width),
                      std::clamp(cvRound(scale * picture.height), 1, area.height));
  return {cv::Point((area.width - size.width) / 2, (area.height - size.height) / 2), size};
}

cv::Point PixelUnder(const cv::Size& picture, const cv::Rect& fitted, const cv::Point2d& point) {
  const double x = (point.x - fitted.x) * picture.width / fitted.width;
  const double y = (point.y - fitted.y) * picture.height / fitted.height;
  return {static_cast<int>(std::clamp(std::floor(x), 0.0, picture.width - 1.0)),
          static_cast<int>(std::clamp(std::floor(y), 0.0, picture.height - 1.0))};
}

cv::Mat ForScreen(const cv::Mat& picture, const cv::Size& size) {
  cv::Mat scaled = picture, screen;
  if (size != picture.size()) cv::resize(picture, scaled, size, 0, 0, cv::INTER_LINEAR);
  cv::cvtColor(scaled, screen, picture.channels() == 1 ? cv::COLOR_GRAY2BGRA : cv::COLOR_BGR2BGRA);
  return screen;
}

std::optional<cv::Scalar> ParseColor(const std::string& text) {
  static const std::pair<std::string_view, cv::Scalar> kNamed[] = {{"black", {0, 0, 0}},
                                                                   {"white", {255, 255, 255}},
                                                                   {"grey", {128, 128, 128}},
                                                                   {"green", {0, 255, 0}},
                                                                   {"blue", {255, 0, 0}}};
  for (const auto& [name, color] : kNamed)
    if (text == name) return color;
  unsigned value = 0;
  if (text.size() != 7 || text[0] != '#') return std::nullopt;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data() + 1, end, value, 16).ptr != end) return std::nullopt;
  return cv::Scalar(value & 0xff, value >> 8 & 0xff, value >> 16);
}

Backdrop::Backdrop(const std::string& what) : color_(ParseColor(what)) {
  if (!color_ && what != "blur") image_ = ReadImage(what);
}

cv::Mat Backdrop::Behind(const cv::Mat& bgr) {
  if (color_) return {bgr.size(), CV_8UC3, *color_};
  if (image_.empty()) return Blurred(bgr);
  if (fitted_.size() != bgr.size()) fitted_ = Covering(image_, bgr.size());
  return fitted_;
}

}  // namespace skinmask::live
