// A live run from the first frame to the last.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "programs/cli/frame_tables.h"
#include "programs/live/exchange.h"
#include "programs/live/scene.h"
#include "programs/live/source.h"
#include "programs/live/statistics.h"
#include "programs/live/view.h"
#include "skinmask/base/file.h"
#include "skinmask/model/model.h"

namespace skinmask::live {

struct SessionOptions {
  std::string source;
  CaptureOptions capture;
  Model model;
  DetectorOptions detector, if_asked;  // as Scene takes them
  bool mirror = false;
  bool track = false;
  std::optional<cv::Rect> track_start;
  View view = View::kOverlay;    // shown first, and recorded
  bool ellipse = false;          // that of the mask is drawn, until the user wants it not
  std::filesystem::path record;  // empty: none
  cli::TableFlags tables;
  std::optional<std::string> sink;     // a pipeline that gets the view
  std::string background = "blur";     // as Backdrop takes it
  std::filesystem::path folder = ".";  // for snapshots, models and recordings made by keys
  IfExists if_exists = IfExists::kFail;
  std::uint64_t frames = 0;  // 0: no limit
  double seconds = 0;        // from the first frame; 0: no limit
  const std::atomic<bool>* stop = nullptr;
  LineSink notice = [](const std::string&) {};
  // Called about once a second, if set.
  std::function<void(const Statistics&)> report;
};

// Until the source ends, a limit is reached, the user is done, or a stop. What was recorded is
// finished however it ends. `exchange` leads to a window; null: there is none. Throws Error where
// there is no source, or nothing came of it; what ended it later is in the statistics.
Statistics RunSession(const SessionOptions& options, Exchange* exchange);

}  // namespace skinmask::live
