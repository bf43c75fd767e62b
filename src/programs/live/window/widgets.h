// The small widgets of the panel: controls for numbers, lines of text, a graph, and a box of
// cameras.
#pragma once

#include <QLabel>
#include <QWidget>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "programs/live/controls.h"
#include "programs/live/source.h"
#include "programs/live/statistics.h"

class QComboBox;
class QDoubleSpinBox;
class QSlider;

namespace skinmask::live {

// A control for a number from 0 to 1: a slider, the number itself, and a button that restores the
// model's own value.
class ValueControl : public QWidget {
 public:
  // `label` contains its mnemonic. `changed` receives the user's value; absent: the model's own.
  ValueControl(const QString& label, const QString& tip, double least, double most,
               std::function<void(std::optional<double>)> changed, QWidget* parent);

  // Sets the value without calling `changed`. If the value is the present one, text that the user
  // is typing stays.
  void SetValue(double value);

 private:
  void Change(double value);
  void Place(double value);

  std::function<void(std::optional<double>)> changed_;
  QSlider* slider_;
  QDoubleSpinBox* number_;
  double placed_ = -1;
};

// A line of text that never widens its window; text that does not fit is in the tooltip.
class Line : public QLabel {
 public:
  explicit Line(QWidget* parent) : QLabel(parent) {
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    setText(" ");
  }
  void SetLine(const QString& line) {
    if (line == toolTip()) return;
    setToolTip(line);
    Elide();
  }

 protected:
  void resizeEvent(QResizeEvent*) override { Elide(); }

 private:
  void Elide() {
    const int room = width() - 2 * margin();
    const QString text = fontMetrics().elidedText(toolTip(), Qt::ElideMiddle, room);
    setText(text.isEmpty() ? " " : text);
  }
};

// A graph of the last latencies.
class GraphWidget : public QWidget {
 public:
  // `history` is in milliseconds.
  GraphWidget(const History& history, QWidget* parent);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const History& history_;
};

// A box in which the user chooses a camera and one of its formats.
class SourceBox : public QWidget {
 public:
  SourceBox(std::function<void(const SourceChoice&)> chosen, QWidget* parent);

  void SetSource(const std::string& source);
  // Starts to query the drivers on a thread, because they may take long.
  void Search();
  // Adopts the result of the search, if it is ready.
  void Poll();
  void SetCameras(std::vector<CameraInfo> cameras);

 private:
  void ListSources();
  void ListFormats();
  const CameraInfo* Chosen() const;  // null: the source of the command line
  void Choose();

  std::function<void(const SourceChoice&)> chosen_;
  std::string first_, current_;  // first_: of the command line; current_: in use
  std::vector<CameraInfo> cameras_;
  std::future<std::vector<CameraInfo>> search_;
  QComboBox *sources_, *formats_;
};

}  // namespace skinmask::live
