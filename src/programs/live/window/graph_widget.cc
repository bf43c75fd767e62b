#include "programs/live/window/graph_widget.h"

#include <QPainter>

namespace skinmask::live {

GraphWidget::GraphWidget(const History& history, QWidget* parent)
    : QWidget(parent), history_(history) {
  setFixedHeight(2 * fontMetrics().height() + 8);
  setAccessibleName("graph of the latency");
  setToolTip("milliseconds from capture to the screen, of the last frames");
}

void GraphWidget::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), palette().base());
  const double ceiling = history_.Ceiling();
  const QString top = QString("%1 ms").arg(ceiling);
  const int left = fontMetrics().horizontalAdvance("0000 ms") + 6;
  const QRectF area = QRectF(rect()).adjusted(left, 3, -3, -3);
  painter.setPen(palette().color(QPalette::Disabled, QPalette::Text));
  painter.drawText(QRectF(3, 0, left, height()), Qt::AlignTop | Qt::AlignLeft, top);
  painter.drawText(QRectF(3, 0, left, height()), Qt::AlignBottom | Qt::AlignLeft, "0");
  painter.drawLine(area.topLeft(), area.topRight());
  painter.drawLine(area.bottomLeft(), area.bottomRight());
  QPolygonF line;
  const auto& values = history_.values();
  const double step = area.width() / static_cast<double>(history_.most() - 1);
  double x = area.right() - step * (static_cast<double>(values.size()) - 1);
  for (const double value : values) {
    line << QPointF(x, area.bottom() - value / ceiling * area.height());
    x += step;
  }
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(palette().color(QPalette::Highlight), 1.5));
  painter.drawPolyline(line);
}

}  // namespace skinmask::live
