// Draws pictures for the window and the recording, and computes their place in the area that shows
// them.
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

// The index of a row in the table of views. These are the first rows, in order.
enum class View { kOverlay, kMask, kProbability, kBoth, kSplit, kCutout, kUncertainty };
std::string_view ViewName(View view);
std::vector<std::string> ViewNames();
View ViewFromName(std::string_view name);  // throws Error

struct DrawOptions {
  std::optional<Region> ellipse{};  // drawn with its axis, except in kBoth
  double divider = 0.5;             // kSplit: the share of the width that shows the plain frame
  cv::Mat behind{};                 // kCutout: the background, CV_8UC3 of the frame's size
};

// A view: an output in its usual form, or what `draw` draws. `name` is empty for the name of the
// output; otherwise it is the first name of the view, and that of the output a second one.
struct ViewKind {
  std::optional<Output> shows{};
  std::string_view name{};
  std::string_view help;  // of its key, which is the number of the view, from 1
  const char* button;     // its text; the letter after the & must be unique in the window
  cv::Mat (*draw)(Judgement& frame, const DrawOptions& options) = nullptr;
};
std::span<const ViewKind> ViewKinds();
// True if its pictures are grey levels, CV_8UC1, which are recorded without the ellipse.
bool IsGrey(View view);

// Draws a view as CV_8UC3, or CV_8UC1 if IsGrey. kBoth has two pictures at half the size; the table
// of views tells what the others show.
cv::Mat Draw(View view, Judgement& frame, const DrawOptions& options = {});

// The rectangles of the drawn picture that show the frame, possibly several and smaller.
std::vector<cv::Rect> FramePlaces(View view, const cv::Size& frame);
cv::Size DrawnSize(View view, const cv::Size& frame);
// The point of the frame that a point of the drawn picture shows.
cv::Point InFrame(View view, const cv::Size& frame, const cv::Point& point);

// The largest centred rectangle in `area` with the picture's aspect ratio, at least one pixel in
// each direction; empty if one of the sizes is empty.
cv::Rect Fitted(const cv::Size& picture, const cv::Size& area);

// The pixel of the picture under a point of the area, or the nearest pixel if the point is outside
// of the picture. `fitted` must not be empty.
cv::Point PixelUnder(const cv::Size& picture, const cv::Rect& fitted, const cv::Point2d& point);

// `picture` (CV_8UC1 or CV_8UC3) at `size`, as CV_8UC4 for the screen.
cv::Mat ForScreen(const cv::Mat& picture, const cv::Size& size);

// The background of cut-outs.
class Backdrop {
 public:
  // `what` is 'blur' (the blurred frame), a colour as ParseColor takes it, or an image file, which
  // is scaled and cropped to the frame. Throws Error if the file cannot be read.
  explicit Backdrop(const std::string& what = "blur");

  // The background, CV_8UC3 of the frame's size.
  cv::Mat Behind(const cv::Mat& bgr);

 private:
  std::optional<cv::Scalar> color_;
  cv::Mat image_;   // the image as it was read; empty: none
  cv::Mat fitted_;  // the image fitted to the last size of frames
};

// Parses '#RRGGBB', or black, white, grey, green or blue; absent for other texts. B G R.
std::optional<cv::Scalar> ParseColor(const std::string& text);

}  // namespace skinmask::live
