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
  DetectorOptions detector, if_asked;  // see Scene
  bool mirror = false;
  bool track = false;
  std::optional<cv::Rect> track_start;
  View view = View::kOverlay;    // shown first, and recorded
  bool ellipse = false;          // draws the ellipse of the mask, until the user switches it off
  std::filesystem::path record;  // empty: none
  cli::TableFlags tables;
  std::optional<std::string> sink;     // a pipeline that receives the view
  std::string background = "blur";     // see Backdrop
  std::filesystem::path folder = ".";  // for snapshots, models and recordings made by keys
  IfExists if_exists = IfExists::kFail;
  std::uint64_t frames = 0;  // 0: no limit
  double seconds = 0;        // from the first frame; 0: no limit
  const std::atomic<bool>* stop = nullptr;
  LineSink notice = [](const std::string&) {};
  // Called about once a second, if set.
  std::function<void(const Statistics&)> report;
};

// Runs until the source ends, a limit is reached, the user closes the window, or a stop. The
// recording is always finished. `exchange` connects to a window; null: no window. Throws Error if
// the source does not exist or delivers nothing; a later failure is in the statistics.
Statistics RunSession(const SessionOptions& options, Exchange* exchange);

}  // namespace skinmask::live
