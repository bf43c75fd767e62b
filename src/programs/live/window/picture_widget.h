// The picture is fitted into its place, and shows what is drawn on it by hand.
#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "programs/live/exchange.h"

namespace skinmask::live {

// A rectangle that is drawn with the mouse or by keys: in pixels of the picture, and always within
// it.
class Selection {
 public:
  // Another size forgets what was drawn.
  void SetPicture(const cv::Size& size) {
    if (size != size_) Clear();
    size_ = size;
  }

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
  std::optional<cv::Rect> Take() {
    const std::optional<cv::Rect> taken = rectangle();
    Clear();
    return taken;
  }

 private:
  bool Begin();  // true where there was nothing yet
  int Step() const;

  cv::Size size_;
  std::optional<cv::Point> from_;
  cv::Point to_;
};

class PictureWidget : public QWidget {
 public:
  PictureWidget(Exchange& exchange, QWidget* parent);

  // Returns when it is painted; what is to be told of a frame that was not on the screen before.
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
  bool HandleKey(int key, bool shift);
  bool MoveRectangle(int key, bool shift);
  cv::Size Canvas() const;  // in pixels of the screen
  cv::Rect Place() const;   // of the picture, in pixels of the screen
  cv::Point PixelAt(const QPoint& point) const;
  void MoveDivider(double share);
  void UseSelection();
  void PaintEllipse(QPainter& painter) const;
  void PaintSelection(QPainter& painter) const;
  void PaintDivider(QPainter& painter) const;
  // Makes pixels of the drawn picture the painter's unit.
  void UsePictureUnits(QPainter& painter) const;

  Exchange& exchange_;
  std::shared_ptr<const Shown> shown_;
  Selection selection_;
  double divider_ = 0.5;  // as last asked for
  bool dragging_ = false;
};

}  // namespace skinmask::live
