// The window: the picture, a line below it, and the panel at the side. It shows the pictures that
// it receives, and sends the user's commands.
#pragma once

#include <QTimer>
#include <QWidget>
#include <string>

#include "programs/live/exchange.h"
#include "programs/live/statistics.h"

class QDialog;
class QScrollArea;

namespace skinmask::live {

class Line;
class Panel;
class PictureWidget;

class MainWindow : public QWidget {
 public:
  MainWindow(const std::string& title, Exchange& exchange);

  // Shows the newest picture, if there is one.
  void ShowNewest();
  void Press(char key);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void closeEvent(QCloseEvent*) override { exchange_.Close(); }  // the event stays accepted

 private:
  QScrollArea* MakeSide();
  void FitTo(const cv::Size& picture);
  void ToggleHelp();
  void ToggleFullScreen();
  void SetSurrounded(bool surrounded);

  Exchange& exchange_;
  History latency_{120};  // milliseconds
  Status status_;
  bool fitted_ = false;  // the window was fitted to the first picture
  QTimer timer_;
  PictureWidget* picture_;
  Line* line_;
  Panel* panel_;
  QScrollArea* side_;
  bool surrounded_ = true;      // the panel and the views are shown
  bool was_surrounded_ = true;  // surrounded_ before full screen
  QDialog* help_ = nullptr;
};

}  // namespace skinmask::live
