// The panel at the side does everything that keys do, and what they do not.
#pragma once

#include <QWidget>
#include <functional>
#include <map>

#include "programs/live/exchange.h"
#include "programs/live/statistics.h"

class QAbstractButton;

namespace skinmask::live {

class GraphWidget;
class Line;
class SourceBox;
class ValueControl;

class Panel : public QWidget {
 public:
  // Buttons are keys that are pressed by mouse. `latency` in milliseconds.
  Panel(std::function<void(char)> press, std::function<void(Command)> post, const History& latency,
        QWidget* parent);

  // The buttons of all views in a row, for the window to place.
  QWidget* views() { return views_; }
  // What the user may change.
  void ShowState(const Status& status);
  // What changes with every frame; to be called a few times a second.
  void ShowNumbers(const Status& status);
  // Begins to look for cameras.
  void Search();

 private:
  QWidget* MakeViews();
  QWidget* MakeAdaptation();
  QWidget* MakeSamples();
  QWidget* MakeFiles();
  QWidget* MakeNumbers();
  // A button that presses `key`, and stays down where it is checkable.
  QAbstractButton* AddButton(QAbstractButton* button, char key);
  void Check(char key, bool checked);

  std::function<void(char)> press_;
  std::function<void(Command)> post_;
  const History& latency_;
  std::map<char, QAbstractButton*> buttons_;
  QWidget* views_;
  SourceBox* source_;
  ValueControl *threshold_, *prior_;
  Line *adapted_, *samples_, *skin_, *ellipse_, *rate_, *delay_;
  GraphWidget* graph_;
};

}  // namespace skinmask::live
