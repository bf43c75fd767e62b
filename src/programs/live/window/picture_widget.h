// The picture is fitted into its place, and shows what is drawn on it by hand.
#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "programs/live/exchange.h"
#include "programs/live/placement.h"

namespace skinmask::live {

class PictureWidget : public QWidget {
 public:
  PictureWidget(Exchange& exchange, QWidget* parent);

  // Returns when it is painted; what is to be told of a frame that was not on the screen before.
  std::optional<Painted> Show(std::shared_ptr<const Shown> shown);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
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
