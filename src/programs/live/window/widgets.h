// The panel is made of small widgets: numbers to choose, lines of text, a graph, and a box of
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

// A number from 0 to 1: a slider, the number itself, and a button that brings the model's own back.
class ValueControl : public QWidget {
 public:
  // `label` has its mnemonic. `changed` gets what the user chose; absent: the model's own.
  ValueControl(const QString& label, const QString& tip, double least, double most,
               std::function<void(std::optional<double>)> changed, QWidget* parent);

  // Not taken for the user's doing. The value that is there already leaves what is being typed.
  void SetValue(double value);

 private:
  void Change(double value);
  void Place(double value);

  std::function<void(std::optional<double>)> changed_;
  QSlider* slider_;
  QDoubleSpinBox* number_;
  double placed_ = -1;
};

// One line of text that never makes its window wider; what does not fit is in its tip.
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

// The last latencies as a line.
class GraphWidget : public QWidget {
 public:
  // `history` in milliseconds.
  GraphWidget(const History& history, QWidget* parent);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const History& history_;
};

// The user chooses a camera, and one of its formats.
class SourceBox : public QWidget {
 public:
  SourceBox(std::function<void(const SourceChoice&)> chosen, QWidget* parent);

  void SetSource(const std::string& source);
  // Begins to ask the drivers, on a thread, since they may take their time.
  void Search();
  // Takes what was found, if it is.
  void Poll();
  void SetCameras(std::vector<CameraInfo> cameras);

 private:
  void ListSources();
  void ListFormats();
  const CameraInfo* Chosen() const;  // null: what the command line names
  void Choose();

  std::function<void(const SourceChoice&)> chosen_;
  std::string first_, current_;  // of the command line; in use
  std::vector<CameraInfo> cameras_;
  std::future<std::vector<CameraInfo>> search_;
  QComboBox *sources_, *formats_;
};

}  // namespace skinmask::live
