#include "programs/live/window/picture_widget.h"

#include <QImage>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "programs/live/controls.h"
#include "programs/live/view.h"

namespace skinmask::live {
namespace {

QRectF InPoints(const cv::Rect& pixels, double ratio) {
  return {pixels.x / ratio, pixels.y / ratio, pixels.width / ratio, pixels.height / ratio};
}

// A line that is visible on any picture: light on dark.
void Stroke(QPainter& painter, const QPainterPath& path, const QColor& color) {
  QPen dark(Qt::black, 3.5), light(color, 1.5);
  dark.setCosmetic(true);
  light.setCosmetic(true);
  painter.strokePath(path, dark);
  painter.strokePath(path, light);
}

}  // namespace

int Selection::Step() const { return std::max(1, std::min(size_.width, size_.height) / 40); }

bool Selection::Begin() {
  if (from_ || size_.empty()) return false;
  const cv::Point middle(size_.width / 2, size_.height / 2), half(4 * Step(), 4 * Step());
  from_ = middle - half;
  to_ = middle + half;
  return true;
}

void Selection::Nudge(int right, int down) {
  if (Begin() || !from_) return;
  const cv::Rect now = rectangle().value_or(cv::Rect());
  const cv::Point wanted = now.tl() + Step() * cv::Point(right, down);
  const cv::Point moved(std::clamp(wanted.x, 0, size_.width - now.width),
                        std::clamp(wanted.y, 0, size_.height - now.height));
  from_ = moved;
  to_ = moved + cv::Point(now.width - 1, now.height - 1);
}

void Selection::Grow(int steps) {
  if (Begin() || !from_) return;
  const cv::Rect now = rectangle().value_or(cv::Rect());
  const cv::Point by(steps * Step(), steps * Step());
  const cv::Point a = now.tl() - by, b = now.br() - cv::Point(1, 1) + by;
  if (a.x > b.x || a.y > b.y) return;
  from_ = a;
  to_ = b;
}

std::optional<cv::Rect> Selection::rectangle() const {
  if (!from_) return std::nullopt;
  return (cv::Rect(*from_, to_) + cv::Size(1, 1)) & cv::Rect({}, size_);
}

PictureWidget::PictureWidget(Exchange& exchange, QWidget* parent)
    : QWidget(parent), exchange_(exchange) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(160, 120);
  setObjectName("picture");
  setAccessibleName("picture");
}

cv::Size PictureWidget::Canvas() const {
  const double ratio = devicePixelRatioF();
  return {static_cast<int>(std::lround(width() * ratio)),
          static_cast<int>(std::lround(height() * ratio))};
}

cv::Rect PictureWidget::Place() const {
  return shown_ ? Fitted(shown_->drawn, Canvas()) : cv::Rect();
}

PictureWidget::Tool PictureWidget::tool() const {
  if (!shown_ || shown_->picture.empty()) return Tool::kNone;
  const Status& status = shown_->status;
  if (status.sampling != Sampling::kOff || status.tracking) return Tool::kRectangle;
  return status.view == View::kSplit ? Tool::kDivider : Tool::kNone;
}

std::optional<Painted> PictureWidget::Show(std::shared_ptr<const Shown> shown) {
  const auto start = Clock::now();
  const bool fresh = shown->number > 0 && (!shown_ || shown->number != shown_->number);
  shown_ = std::move(shown);
  selection_.SetPicture(shown_->drawn);
  if (tool() != Tool::kRectangle) selection_.Clear();
  if (!dragging_) divider_ = shown_->status.divider;
  if (shown_->picture.empty() || Place().size() != shown_->picture.size())
    exchange_.SetCanvas(Canvas());
  repaint();
  if (!fresh || !isVisible()) return std::nullopt;
  return Painted{SecondsSince(shown_->captured), shown_->draw_seconds + SecondsSince(start)};
}

void PictureWidget::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const cv::Rect place = Place();
  const QRectF target = InPoints(place, devicePixelRatioF());
  if (!shown_ || shown_->picture.empty() || place.empty()) {
    painter.fillRect(rect(), Qt::black);
    painter.setPen(Qt::white);
    const QString text = shown_ ? QString::fromStdString("opening " + shown_->status.source) : "";
    painter.drawText(rect().adjusted(16, 16, -16, -16), Qt::AlignCenter | Qt::TextWrapAnywhere,
                     text);
    return;
  }
  // The edges of the picture may lie within a point.
  const QRect inside = target.toAlignedRect().adjusted(1, 1, -1, -1);
  for (const QRect& beside : QRegion(rect()) - QRegion(inside)) painter.fillRect(beside, Qt::black);
  const cv::Mat& picture = shown_->picture;
  QImage image(picture.data, picture.cols, picture.rows, static_cast<int>(picture.step),
               QImage::Format_RGB32);
  if (picture.size() == place.size()) {
    image.setDevicePixelRatio(devicePixelRatioF());
    painter.drawImage(target.topLeft(), image);
  } else {  // this picture was made for the previous size
    painter.drawImage(target, image);
  }
  painter.setRenderHint(QPainter::Antialiasing);
  PaintEllipse(painter);
  PaintSelection(painter);
  PaintDivider(painter);
}

void PictureWidget::UsePictureUnits(QPainter& painter) const {
  const QRectF target = InPoints(Place(), devicePixelRatioF());
  painter.translate(target.topLeft());
  painter.scale(target.width() / shown_->drawn.width, target.height() / shown_->drawn.height);
}

void PictureWidget::PaintEllipse(QPainter& painter) const {
  if (!shown_->ellipse) return;
  const Region& ellipse = *shown_->ellipse;
  const QPointF along(ellipse.semi_major, 0);
  QPainterPath path;
  path.addEllipse(QPointF(), ellipse.semi_major, ellipse.semi_minor);
  path.moveTo(-along);
  path.lineTo(along);
  for (const cv::Rect& place : FramePlaces(shown_->status.view, shown_->frame)) {
    painter.save();
    UsePictureUnits(painter);
    painter.setClipRect(QRectF(place.x, place.y, place.width, place.height));
    painter.translate(place.x, place.y);
    painter.scale(static_cast<double>(place.width) / shown_->frame.width,
                  static_cast<double>(place.height) / shown_->frame.height);
    painter.translate(ellipse.centroid.x + 0.5, ellipse.centroid.y + 0.5);
    painter.rotate(ellipse.angle_degrees);
    Stroke(painter, path, Qt::yellow);
    painter.restore();
  }
}

void PictureWidget::PaintSelection(QPainter& painter) const {
  const std::optional<cv::Rect> drawn = selection_.rectangle();
  if (!drawn) return;
  painter.save();
  UsePictureUnits(painter);
  QPainterPath path;
  path.addRect(drawn->x, drawn->y, drawn->width, drawn->height);
  const bool background = shown_->status.sampling == Sampling::kBackground;
  Stroke(painter, path, background ? QColor(0, 160, 255) : QColor(255, 200, 0));
  painter.restore();
}

void PictureWidget::PaintDivider(QPainter& painter) const {
  if (shown_->status.view != View::kSplit) return;
  constexpr double kRadius = 9;
  const QRectF target = InPoints(Place(), devicePixelRatioF());
  const double x = target.left() + shown_->status.divider * target.width();
  // Not std::clamp, whose bounds must not cross, as they do in a narrow picture.
  const QPointF middle(std::max(target.left() + kRadius, std::min(x, target.right() - kRadius)),
                       target.center().y());
  painter.setPen(QPen(Qt::black, 1.5));
  painter.setBrush(Qt::white);
  painter.drawEllipse(middle, kRadius, kRadius);
  painter.drawLine(middle - QPointF(5, 0), middle + QPointF(5, 0));
}

cv::Point PictureWidget::PixelAt(const QPoint& point) const {
  const double ratio = devicePixelRatioF();
  return PixelUnder(shown_->drawn, Place(), {point.x() * ratio, point.y() * ratio});
}

void PictureWidget::MoveDivider(double share) {
  divider_ = std::clamp(share, 0.0, 1.0);
  exchange_.Post([share = divider_](Controls& c) { c.SetDivider(share); });
}

void PictureWidget::UseSelection() {
  if (const std::optional<cv::Rect> drawn = selection_.Take())
    exchange_.Post([drawn = *drawn](Controls& c) { c.UseRectangle(drawn); });
  update();
}

void PictureWidget::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || tool() == Tool::kNone) return;
  dragging_ = true;
  if (tool() == Tool::kRectangle) selection_.Press(PixelAt(event->pos()));
  mouseMoveEvent(event);
}

void PictureWidget::mouseMoveEvent(QMouseEvent* event) {
  if (!dragging_ || tool() == Tool::kNone) return;
  const cv::Point at = PixelAt(event->pos());
  if (tool() == Tool::kDivider) return MoveDivider((at.x + 0.5) / shown_->drawn.width);
  selection_.MoveTo(at);
  update();
}

void PictureWidget::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !dragging_) return;
  mouseMoveEvent(event);
  dragging_ = false;
  if (tool() == Tool::kRectangle) UseSelection();
}

void PictureWidget::keyPressEvent(QKeyEvent* event) {
  constexpr double kStep = 0.02;
  const int key = event->key();
  const int right = (key == Qt::Key_Right) - (key == Qt::Key_Left);
  const int down = (key == Qt::Key_Down) - (key == Qt::Key_Up);
  const bool accept = key == Qt::Key_Return || key == Qt::Key_Enter;
  if (tool() == Tool::kDivider && right != 0) return MoveDivider(divider_ + kStep * right);
  if (tool() != Tool::kRectangle || (!accept && right == 0 && down == 0)) return event->ignore();
  if (accept) return UseSelection();
  if (event->modifiers() & Qt::ShiftModifier)
    selection_.Grow(right - down);
  else
    selection_.Nudge(right, down);
  update();
}

}  // namespace skinmask::live
