// The Presenter shows the window what it gets to see of a session, and takes what comes back from
// it.
#pragma once

#include <cstdint>
#include <string>

#include "programs/live/controls.h"
#include "programs/live/exchange.h"
#include "programs/live/scene.h"
#include "programs/live/statistics.h"

namespace skinmask::live {

// How the source is doing.
struct Supply {
  bool running = false;
  std::uint64_t dropped = 0;
};

class Presenter {
 public:
  Presenter(Exchange& exchange, Scene& scene, Controls& controls)
      : exchange_(exchange), scene_(scene), controls_(controls) {}

  void SetSource(const std::string& source) { source_ = source; }
  // A new frame is in view, captured then.
  void Present(Clock::time_point captured, const Supply& supply);
  // The same frame again, where something about it changed.
  void Refresh(const Supply& supply);
  // What was painted since the last call counts.
  void Count(Statistics& statistics);

 private:
  void Publish(const Supply& supply);

  Exchange& exchange_;
  Scene& scene_;
  Controls& controls_;
  std::string source_;
  RateMeter rate_;
  std::uint64_t number_ = 0;
  Clock::time_point captured_{};
  cv::Size canvas_;
  bool running_ = false;
};

}  // namespace skinmask::live
