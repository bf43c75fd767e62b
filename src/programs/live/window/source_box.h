// SourceBox lets the user choose a camera, and one of its formats.
#pragma once

#include <QWidget>
#include <functional>
#include <future>
#include <string>
#include <vector>

#include "programs/live/controls.h"
#include "programs/live/v4l2_devices.h"

class QComboBox;

namespace skinmask::live {

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
