// Pictures for the window and the recording, and where they lie in the area that shows them.
#pragma once

#include <opencv2/core.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skinmask/detect/judgement.h"
#include "skinmask/detect/outputs.h"
#include "skinmask/detect/region.h"

namespace skinmask::live {

// The number of a row of the table of views; here are the first rows, in their order.
enum class View { kOverlay, kMask, kProbability, kBoth, kSplit, kCutout, kUncertainty };
std::string_view ViewName(View view);
std::vector<std::string> ViewNames();
View ViewFromName(std::string_view name);  // throws Error

// What is known of one frame.
struct Observation {
  Judgement judgement;
  cv::Mat behind{};  // CV_8UC3, what stands behind its skin; empty where nobody needed it
  double skin_fraction = 0;
};

struct DrawOptions {
  std::optional<Region> ellipse{};  // is drawn in, with its axis; kBoth has no place for it
  double divider = 0.5;             // kSplit: the share of the width that shows the frame as it is
};

// What a view shows: an output as it is drawn everywhere, or what it `draw`s by itself. It is
// called by the output's name, and where it has one of its own, by that first.
struct ViewKind {
  std::optional<Output> shows{};
  std::string_view name{};
  std::string_view help;  // of its key, the digit that counts the views from 1
  const char* button;     // its words; no other widget of the window has the letter behind the &
  cv::Mat (*draw)(Observation& o, const DrawOptions& options) = nullptr;
};
std::span<const ViewKind> ViewKinds();
// Whether its pictures are levels, CV_8UC1, which are recorded without the ellipse.
bool IsGrey(View view);

// The same smaller: to be drawn for a screen. `observation` must outlive it.
Observation Shrunk(Observation& observation, const cv::Size& size);

// CV_8UC3, or CV_8UC1 where IsGrey. kBoth is overlay and probability beside each other, each at
// half the size; kSplit the frame to the left of the divider and the overlay to its right; kCutout
// the skin alone, on what is behind it; kUncertainty the frame in dark greys, yellow where the
// answer is near the threshold, blue where no class explains the colour.
cv::Mat Draw(View view, Observation& observation, const DrawOptions& options = {});

// Where the drawn picture shows the frame, maybe more than once and smaller.
std::vector<cv::Rect> FramePlaces(View view, const cv::Size& frame);
cv::Size DrawnSize(View view, const cv::Size& frame);
// Where a point of the drawn picture lies in the frame.
cv::Point InFrame(View view, const cv::Size& frame, const cv::Point& point);

// The largest rectangle of the picture's shape in the middle of `area`, at least a pixel each way;
// empty where one of them is.
cv::Rect Fitted(const cv::Size& picture, const cv::Size& area);

// The pixel of the picture under a point of the area; the nearest one, where the point lies beside
// it. `fitted` is not empty.
cv::Point PixelUnder(const cv::Size& picture, const cv::Rect& fitted, const cv::Point2d& point);

// `picture` (CV_8UC1 or CV_8UC3) at `size`, as CV_8UC4 for the screen.
cv::Mat ForScreen(const cv::Mat& picture, const cv::Size& size);

// What stands behind a cut-out.
class Backdrop {
 public:
  // 'blur': the frame, blurred; a colour as ParseColor takes it; or an image file, which covers the
  // frame in its own shape. Throws Error where it cannot be read.
  explicit Backdrop(const std::string& what = "blur");

  // CV_8UC3 of the frame's size.
  cv::Mat Behind(const cv::Mat& bgr);

 private:
  std::optional<cv::Scalar> color_;
  cv::Mat image_;   // as it was read; empty: none
  cv::Mat fitted_;  // for frames of its size
};

// '#RRGGBB', or black, white, grey, green or blue; absent where it is none of them. B G R.
std::optional<cv::Scalar> ParseColor(const std::string& text);

}  // namespace skinmask::live
