#include "programs/live/window/widgets.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QPainter>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

namespace skinmask::live {
namespace {

constexpr int kSteps = 1000;

int Position(double value) { return static_cast<int>(std::lround(kSteps * value)); }

QComboBox* MakeCombo(const QString& name, QWidget* parent) {
  auto* const combo = new QComboBox(parent);
  combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  combo->setMinimumContentsLength(12);
  combo->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  combo->setFocusPolicy(Qt::TabFocus);
  combo->setObjectName(name);
  combo->setAccessibleName(name);
  return combo;
}

// A name that does not fit is in the tooltip.
void AddSource(QComboBox* combo, const QString& name) {
  constexpr int kMax = 24;
  const bool fits = name.size() <= kMax;
  combo->addItem(fits ? name : name.left(kMax / 2) + "…" + name.right(kMax / 2 - 1));
  combo->setItemData(combo->count() - 1, name, Qt::ToolTipRole);
}

QString InWords(const CameraFormat& format) {
  QString text = QString("%1 %2 × %3")
                     .arg(QString::fromStdString(format.code).trimmed())
                     .arg(format.size.width)
                     .arg(format.size.height);
  if (format.rate > 0) text += QString(", %1/s").arg(format.rate, 0, 'g', 4);
  return text;
}

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
  text->setMinimumWidth(fontMetrics().horizontalAdvance("Threshold"));  // aligns the sliders
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
  connect(reset, &QToolButton::clicked, this, [this] {
    placed_ = -1;  // discards text that the user has begun to type
    changed_(std::nullopt);
  });
}

void ValueControl::Change(double value) {
  Place(value);
  changed_(value);
}

void ValueControl::Place(double value) {
  const QSignalBlocker no_slider(slider_), no_number(number_);
  placed_ = value;
  slider_->setValue(Position(value));
  number_->setValue(value);
}

void ValueControl::SetValue(double value) {
  if (!slider_->isSliderDown() && value != placed_) Place(value);
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

SourceBox::SourceBox(std::function<void(const SourceChoice&)> chosen, QWidget* parent)
    : QWidget(parent),
      chosen_(std::move(chosen)),
      sources_(MakeCombo("camera", this)),
      formats_(MakeCombo("format", this)) {
  auto* const form = new QFormLayout(this);
  form->setContentsMargins(0, 0, 0, 0);
  form->setVerticalSpacing(3);
  form->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
  form->addRow("&Camera", sources_);
  form->addRow("&Format", formats_);
  connect(sources_, qOverload<int>(&QComboBox::activated), this, [this](int row) {
    if (row == sources_->count() - 1) return Search();
    ListFormats();
    Choose();
  });
  connect(formats_, qOverload<int>(&QComboBox::activated), this, [this](int) { Choose(); });
  ListSources();
}

void SourceBox::SetSource(const std::string& source) {
  if (source == current_) return;
  if (first_.empty()) first_ = source;
  current_ = source;
  ListSources();
}

void SourceBox::Search() {
  std::packaged_task<std::vector<CameraInfo>()> task(Cameras);
  search_ = task.get_future();
  std::thread(std::move(task)).detach();
  ListSources();
}

void SourceBox::Poll() {
  if (!search_.valid() || search_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    return;
  SetCameras(search_.get());
}

void SourceBox::SetCameras(std::vector<CameraInfo> cameras) {
  cameras_ = std::move(cameras);
  ListSources();
}

void SourceBox::ListSources() {
  const QSignalBlocker quiet(sources_);
  sources_->clear();
  AddSource(sources_, QString::fromStdString(first_));
  for (const CameraInfo& camera : cameras_) {
    const QString path = QString::fromStdString(camera.path);
    const QString name = QString::fromStdString(camera.name);
    AddSource(sources_, name.isEmpty() ? path : QString("%1 (%2)").arg(name, path));
    if (camera.path == current_) sources_->setCurrentIndex(sources_->count() - 1);
  }
  sources_->addItem(search_.valid() ? "looking for cameras …" : "look for cameras again");
  sources_->setToolTip(sources_->currentData(Qt::ToolTipRole).toString());
  ListFormats();
}

const CameraInfo* SourceBox::Chosen() const {
  const int row = sources_->currentIndex() - 1;
  const bool camera = row >= 0 && row < static_cast<int>(cameras_.size());
  return camera ? &cameras_[static_cast<std::size_t>(row)] : nullptr;
}

void SourceBox::ListFormats() {
  const QSignalBlocker quiet(formats_);
  const QString before = formats_->currentText();
  formats_->clear();
  formats_->addItem("as it is");
  if (const CameraInfo* const camera = Chosen())
    for (const CameraFormat& format : camera->formats) formats_->addItem(InWords(format));
  formats_->setCurrentIndex(std::max(0, formats_->findText(before)));
  formats_->setEnabled(formats_->count() > 1);
  formats_->setToolTip("what is asked of the camera: pixel format, size, frames a second");
}

void SourceBox::Choose() {
  const CameraInfo* const camera = Chosen();
  SourceChoice choice{camera ? camera->path : first_};
  if (const int row = formats_->currentIndex() - 1; camera && row >= 0)
    choice.format = camera->formats[static_cast<std::size_t>(row)];
  chosen_(choice);
}

}  // namespace skinmask::live
