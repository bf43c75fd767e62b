#include "programs/live/window/value_control.h"

#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <cmath>

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

}  // namespace skinmask::live
