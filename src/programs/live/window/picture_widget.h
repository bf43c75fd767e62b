// The widget of the picture, on which the user can draw.
#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "programs/live/exchange.h"

namespace skinmask::live {

// A rectangle that the user draws with the mouse or by keys, in pixels of the picture and always
// within it.
class Selection {
 public:
  // A new size clears the rectangle.
  void SetPicture(const cv::Size& size) {
    if (size != size_) Clear();
    size_ = size;
  }

  // For the mouse: the rectangle from the pressed pixel to the current one, both included.
  void Press(const cv::Point& at) { from_ = to_ = at; }
  void MoveTo(const cv::Point& at) {
    if (from_) to_ = at;
  }
  // For keys: moves the rectangle, or grows or shrinks it about its centre, in steps of a fortieth
  // of the picture. The first call puts a rectangle into the middle of the picture.
  void Nudge(int right, int down);
  void Grow(int steps);

  std::optional<cv::Rect> rectangle() const;
  void Clear() { from_.reset(); }
  // Returns the rectangle and clears it.
  std::optional<cv::Rect> Take() {
    const std::optional<cv::Rect> taken = rectangle();
    Clear();
    return taken;
  }

 private:
  bool Begin();  // true if there was no rectangle yet
  int Step() const;

  cv::Size size_;
  std::optional<cv::Point> from_;
  cv::Point to_;
};

class PictureWidget : public QWidget {
 public:
  PictureWidget(Exchange& exchange, QWidget* parent);

  // Paints the picture before it returns. Returns the report for a frame that was not on the screen
  // before.
  std::optional<Painted> Show(std::shared_ptr<const Shown> shown);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent*) override { exchange_.SetCanvas(Canvas()); }
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  enum class Tool { kNone, kRectangle, kDivider };
  Tool tool() const;
  cv::Size Canvas() const;  // in pixels of the screen
  cv::Rect Place() const;   // of the picture, in screen pixels
  cv::Point PixelAt(const QPoint& point) const;
  void MoveDivider(double share);
  void UseSelection();
  void PaintEllipse(QPainter& painter) const;
  void PaintSelection(QPainter& painter) const;
  void PaintDivider(QPainter& painter) const;
  // Sets the painter's unit to pixels of the drawn picture.
  void UsePictureUnits(QPainter& painter) const;

  Exchange& exchange_;
  std::shared_ptr<const Shown> shown_;
  Selection selection_;
  double divider_ = 0.5;  // the last requested position
  bool dragging_ = false;
};

}  // namespace skinmask::live
