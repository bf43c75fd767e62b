// The panel at the side: all functions of the keys, and more.
#pragma once

#include <QCheckBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>
#include <functional>
#include <initializer_list>
#include <map>

#include "programs/live/controls.h"
#include "programs/live/window/widgets.h"

namespace skinmask::live {

class Panel : public QWidget {
 public:
  // `press` is called with the key of a button. `latency` is in milliseconds.
  Panel(std::function<void(char)> press, Exchange& exchange, const History& latency,
        QWidget* parent)
      : QWidget(parent), press_(std::move(press)), latency_(latency) {
    using Value = std::optional<double>;
    source_ = new SourceBox(
        [&exchange](const SourceChoice& choice) {
          exchange.Post([choice](Controls& c) { c.Open(choice); });
        },
        this);
    threshold_ = new ValueControl(
        "&Threshold", "a pixel is skin from this probability on", 0, 1,
        [&exchange](Value value) {
          exchange.Post([value](Controls& c) { c.scene().SetThreshold(value); });
        },
        this);
    prior_ = new ValueControl(
        "Pr&ior", "how much skin is expected before a pixel is looked at", 0.001, 0.999,
        [&exchange](Value value) {
          exchange.Post([value](Controls& c) { c.scene().SetPrior(value); });
        },
        this);
    views_ = MakeViews();
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(8, 4, 8, 4);
    column->setSpacing(kSpacing);
    column->addWidget(source_);
    column->addWidget(threshold_);
    column->addWidget(prior_);
    column->addWidget(MakeAdaptation());
    column->addWidget(samples_ = Text("samples"));
    column->addWidget(Row({Push("&Skin", true, 's'), Push("&Background", true, 'b'),
                           Push("&Undo", false, 'u'), Push("For&get", false, 'z')}));
    column->addWidget(Row({Push("&Record", true, 'r'), Push("S&napshot", false, 'p'),
                           Push("&Write model", false, 'w')}));
    column->addWidget(skin_ = Text("skin"));
    column->addWidget(ellipse_ = Text("ellipse"));
    column->addWidget(rate_ = Text("rate"));
    column->addWidget(delay_ = Text("latency"));
    column->addWidget(graph_ = new GraphWidget(latency_, this));
    column->addStretch(1);
  }

  // The buttons of all views in a row, for the window to place.
  QWidget* views() { return views_; }

  // Shows the settings that the user can change.
  void ShowState(const Status& status) {
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

  // Shows the values that change with every frame; called a few times a second.
  void ShowNumbers(const Status& status) {
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

  void Search() { source_->Search(); }

 private:
  static constexpr int kSpacing = 3;

  QWidget* MakeViews() {
    QWidget* const row = Row({});
    row->layout()->setContentsMargins(kSpacing, kSpacing, kSpacing, kSpacing);
    char key = '1';
    for (const ViewKind& kind : ViewKinds())
      row->layout()->addWidget(Push(kind.button, true, key++));
    return row;
  }

  QWidget* MakeAdaptation() {
    auto* const grid = new QGridLayout(new QWidget(this));
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(kSpacing);
    grid->addWidget(AddButton(new QCheckBox("A&dapt"), 'a'), 0, 0);
    grid->addWidget(adapted_ = Text("adapted"), 0, 1, 1, 2);
    grid->addWidget(AddButton(new QCheckBox("Fo&llow"), 't'), 1, 0);
    grid->addWidget(AddButton(new QCheckBox("&Ellipse"), 'e'), 1, 1);
    grid->addWidget(AddButton(new QCheckBox("&Pause"), ' '), 1, 2);
    grid->setColumnStretch(2, 1);
    return grid->parentWidget();
  }

  // A part of the panel with widgets beside each other.
  QWidget* Row(std::initializer_list<QWidget*> widgets) {
    auto* const part = new QWidget(this);
    auto* const row = new QHBoxLayout(part);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(kSpacing);
    for (QWidget* widget : widgets) row->addWidget(widget);
    return part;
  }

  Line* Text(const QString& name) {
    auto* const line = new Line(this);
    line->setObjectName(name);
    return line;
  }

  // A button that may shrink to the width of its text.
  QAbstractButton* Push(const QString& text, bool checkable, char key) {
    auto* const button = new QToolButton;
    button->setText(text);
    button->setCheckable(checkable);
    button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    return AddButton(button, key);
  }

  // Makes the button press `key`.
  QAbstractButton* AddButton(QAbstractButton* button, char key) {
    const QString tip = QString::fromStdString(TipOf(key));
    button->setToolTip(tip);
    button->setAccessibleDescription(tip);
    button->setObjectName(QString("key %1").arg(key));
    button->setFocusPolicy(Qt::TabFocus);  // after a click, keys still go to the picture
    connect(button, &QAbstractButton::clicked, this, [this, key] { press_(key); });
    buttons_[key] = button;
    return button;
  }

  void Check(char key, bool checked) { buttons_.at(key)->setChecked(checked); }

  std::function<void(char)> press_;
  const History& latency_;
  std::map<char, QAbstractButton*> buttons_;
  QWidget* views_;
  SourceBox* source_;
  ValueControl *threshold_, *prior_;
  Line *adapted_, *samples_, *skin_, *ellipse_, *rate_, *delay_;
  GraphWidget* graph_;
};

}  // namespace skinmask::live
