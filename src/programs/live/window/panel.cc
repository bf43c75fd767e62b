#include "programs/live/window/panel.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>
#include <initializer_list>

#include "programs/live/controls.h"
#include "programs/live/window/widgets.h"

namespace skinmask::live {
namespace {

constexpr int kSpacing = 3;

// As narrow as its text where there is no more room.
QToolButton* Push(const QString& text, bool checkable) {
  auto* const button = new QToolButton;
  button->setText(text);
  button->setCheckable(checkable);
  button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  return button;
}

QGridLayout* GridOf(QWidget* widget) {
  auto* const grid = new QGridLayout(widget);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setSpacing(kSpacing);
  return grid;
}

Line* Text(const QString& name, QWidget* parent) {
  auto* const line = new Line(parent);
  line->setObjectName(name);
  return line;
}

}  // namespace

Panel::Panel(std::function<void(char)> press, std::function<void(Command)> post,
             const History& latency, QWidget* parent)
    : QWidget(parent), press_(std::move(press)), post_(std::move(post)), latency_(latency) {
  source_ = new SourceBox(
      [this](const SourceChoice& choice) { post_([choice](Controls& c) { c.Open(choice); }); },
      this);
  threshold_ = new ValueControl(
      "&Threshold", "a pixel is skin from this probability on", 0, 1,
      [this](std::optional<double> value) { post_([=](Controls& c) { c.SetThreshold(value); }); },
      this);
  prior_ = new ValueControl(
      "Pr&ior", "how much skin is expected before a pixel is looked at", 0.001, 0.999,
      [this](std::optional<double> value) { post_([=](Controls& c) { c.SetPrior(value); }); },
      this);
  views_ = MakeViews();
  auto* const column = new QVBoxLayout(this);
  column->setContentsMargins(8, 4, 8, 4);
  column->setSpacing(kSpacing);
  for (QWidget* part :
       std::initializer_list<QWidget*>{source_, threshold_, prior_, MakeAdaptation(), MakeSamples(),
                                       MakeFiles(), MakeNumbers()})
    column->addWidget(part);
  column->addStretch(1);
}

QAbstractButton* Panel::AddButton(QAbstractButton* button, char key) {
  const QString tip = QString::fromStdString(TipOf(key));
  button->setToolTip(tip);
  button->setAccessibleDescription(tip);
  button->setObjectName(QString("key %1").arg(key));
  button->setFocusPolicy(Qt::TabFocus);  // after a click, keys still go to the picture
  connect(button, &QAbstractButton::clicked, this, [this, key] { press_(key); });
  buttons_[key] = button;
  return button;
}

QWidget* Panel::MakeViews() {
  auto* const part = new QWidget(this);
  auto* const row = new QHBoxLayout(part);
  row->setContentsMargins(kSpacing, kSpacing, kSpacing, kSpacing);
  row->setSpacing(kSpacing);
  char key = '1';
  for (const ViewKind& kind : ViewKinds())
    row->addWidget(AddButton(Push(kind.button, true), key++));
  return part;
}

QWidget* Panel::MakeAdaptation() {
  auto* const part = new QWidget(this);
  QGridLayout* const grid = GridOf(part);
  adapted_ = Text("adapted", part);
  grid->addWidget(AddButton(new QCheckBox("A&dapt"), 'a'), 0, 0);
  grid->addWidget(adapted_, 0, 1, 1, 2);
  grid->addWidget(AddButton(new QCheckBox("Fo&llow"), 't'), 1, 0);
  grid->addWidget(AddButton(new QCheckBox("&Ellipse"), 'e'), 1, 1);
  grid->addWidget(AddButton(new QCheckBox("&Pause"), ' '), 1, 2);
  grid->setColumnStretch(2, 1);
  return part;
}

QWidget* Panel::MakeSamples() {
  auto* const part = new QWidget(this);
  QGridLayout* const grid = GridOf(part);
  samples_ = Text("samples", part);
  grid->addWidget(samples_, 0, 0, 1, 4);
  grid->addWidget(AddButton(Push("&Skin", true), 's'), 1, 0);
  grid->addWidget(AddButton(Push("&Background", true), 'b'), 1, 1);
  grid->addWidget(AddButton(Push("&Undo", false), 'u'), 1, 2);
  grid->addWidget(AddButton(Push("For&get", false), 'z'), 1, 3);
  return part;
}

QWidget* Panel::MakeFiles() {
  auto* const part = new QWidget(this);
  QGridLayout* const grid = GridOf(part);
  grid->addWidget(AddButton(Push("&Record", true), 'r'), 0, 0);
  grid->addWidget(AddButton(Push("S&napshot", false), 'p'), 0, 1);
  grid->addWidget(AddButton(Push("&Write model", false), 'w'), 0, 2);
  return part;
}

QWidget* Panel::MakeNumbers() {
  auto* const part = new QWidget(this);
  QGridLayout* const grid = GridOf(part);
  skin_ = Text("skin", part);
  ellipse_ = Text("ellipse", part);
  rate_ = Text("rate", part);
  delay_ = Text("latency", part);
  graph_ = new GraphWidget(latency_, this);
  int row = 0;
  for (QWidget* line : std::initializer_list<QWidget*>{skin_, ellipse_, rate_, delay_, graph_})
    grid->addWidget(line, row++, 0);
  return part;
}

void Panel::Check(char key, bool checked) { buttons_.at(key)->setChecked(checked); }

void Panel::ShowState(const Status& status) {
  source_->SetSource(status.source);
  for (std::size_t i = 0; i < ViewKinds().size(); ++i)
    Check(static_cast<char>('1' + i), status.view == static_cast<View>(i));
  threshold_->SetValue(status.threshold);
  prior_->SetValue(status.prior);
  Check('a', status.adapting);
  Check('t', status.tracking);
  Check('e', status.show_ellipse);
  Check(' ', status.paused);
  Check('s', status.sampling == Sampling::kSkin);
  Check('b', status.sampling == Sampling::kBackground);
  buttons_.at('u')->setEnabled(status.rectangles > 0);
  buttons_.at('z')->setEnabled(status.rectangles > 0);
  Check('r', !status.recording.empty());
  samples_->SetLine(QString("Samples: %1 skin, %2 background")
                        .arg(status.skin_pixels)
                        .arg(status.background_pixels));
}

void Panel::ShowNumbers(const Status& status) {
  source_->Poll();
  adapted_->SetLine(QString::fromStdString(status.adapted));
  skin_->SetLine(QString("Skin: %1 %").arg(100 * status.skin_fraction, 0, 'f', 1));
  ellipse_->SetLine("Ellipse: " + QString::fromStdString(status.ellipse));
  rate_->SetLine(
      QString("Rate: %1 frames/s, %2 dropped").arg(status.rate, 0, 'f', 1).arg(status.dropped));
  delay_->SetLine(QString("Latency: %1 ms, 95 % within %2 ms")
                      .arg(latency_.mean(), 0, 'f', 0)
                      .arg(latency_.Quantile(0.95), 0, 'f', 0));
  graph_->update();
}

void Panel::Search() { source_->Search(); }

}  // namespace skinmask::live
