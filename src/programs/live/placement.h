// A picture is placed in the area that shows it, and the user draws over it.
#pragma once

#include <opencv2/core.hpp>
#include <optional>

namespace skinmask::live {

// The largest rectangle of the picture's shape in the middle of `area`, at least a pixel each way;
// empty where one of them is.
cv::Rect Fitted(const cv::Size& picture, const cv::Size& area);

// The pixel of the picture under a point of the area; the nearest one, where the point lies beside
// it. `fitted` is not empty.
cv::Point PixelUnder(const cv::Size& picture, const cv::Rect& fitted, const cv::Point2d& point);

// `picture` (CV_8UC1 or CV_8UC3) at `size`, as CV_8UC4 for the screen.
cv::Mat ForScreen(const cv::Mat& picture, const cv::Size& size);

// A rectangle that is drawn with the mouse or by keys: in pixels of the picture, and always within
// it.
class Selection {
 public:
  // Another size forgets what was drawn.
  void SetPicture(const cv::Size& size);

  // The mouse: from where it was pressed to where it is now, both pixels included.
  void Press(const cv::Point& at) { from_ = to_ = at; }
  void MoveTo(const cv::Point& at) {
    if (from_) to_ = at;
  }
  // Keys: moves the rectangle, or makes it larger or smaller about its middle, by steps of a
  // fortieth of the picture. The first one puts a rectangle in its middle.
  void Nudge(int right, int down);
  void Grow(int steps);

  std::optional<cv::Rect> rectangle() const;
  void Clear() { from_.reset(); }
  // What was drawn, which is forgotten.
  std::optional<cv::Rect> Take();

 private:
  bool Begin();  // true where there was nothing yet
  int Step() const;

  cv::Size size_;
  std::optional<cv::Point> from_;
  cv::Point to_;
};

}  // namespace skinmask::live
