#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <cmath>

#include "programs/live/window/widgets.h"

namespace skinmask::live {
namespace {

constexpr int kSteps = 1000;

int Position(double value) { return static_cast<int>(std::lround(kSteps * value)); }

}  // namespace

ValueControl::ValueControl(const QString& label, const QString& tip, double least, double most,
                           std::function<void(std::optional<double>)> changed, QWidget* parent)
    : QWidget(parent),
      changed_(std::move(changed)),
      slider_(new QSlider(Qt::Horizontal, this)),
      number_(new QDoubleSpinBox(this)) {
  const QString name = QString(label).remove('&').toLower();
  setObjectName(name);
  auto* const text = new QLabel(label, this);
  text->setBuddy(slider_);
  text->setMinimumWidth(fontMetrics().horizontalAdvance("Threshold"));  // sliders begin alike
  slider_->setRange(Position(least), Position(most));
  slider_->setPageStep(kSteps / 20);
  slider_->setFocusPolicy(Qt::TabFocus);
  slider_->setAccessibleName(name);
  number_->setRange(least, most);
  number_->setDecimals(3);
  number_->setSingleStep(0.01);
  number_->setKeyboardTracking(false);
  number_->setAccessibleName(name + " as a number");
  auto* const reset = new QToolButton(this);
  reset->setText("↺");
  reset->setToolTip("the model's own " + name);
  reset->setAccessibleName(reset->toolTip());
  reset->setFocusPolicy(Qt::TabFocus);
  slider_->setToolTip(tip);
  number_->setToolTip(tip);

  auto* const row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(text);
  row->addWidget(slider_, 1);
  row->addWidget(number_);
  row->addWidget(reset);
  connect(slider_, &QSlider::valueChanged, this,
          [this](int position) { Change(static_cast<double>(position) / kSteps); });
  connect(number_, qOverload<double>(&QDoubleSpinBox::valueChanged), this,
          [this](double value) { Change(value); });
  connect(reset, &QToolButton::clicked, this, [this] { changed_(std::nullopt); });
}

void ValueControl::Change(double value) {
  Place(value);
  changed_(value);
}

void ValueControl::Place(double value) {
  const QSignalBlocker no_slider(slider_), no_number(number_);
  slider_->setValue(Position(value));
  number_->setValue(value);
}

void ValueControl::SetValue(double value) {
  if (slider_->isSliderDown()) return;
  Place(value);
}

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
