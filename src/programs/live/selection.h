// A rectangle that the user draws over a picture, with the mouse or by keys.
#pragma once

#include <opencv2/core.hpp>
#include <optional>

namespace skinmask::live {

// In pixels of the picture, and always within it.
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
