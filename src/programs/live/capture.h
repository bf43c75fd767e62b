// Reads a source on a thread of its own. The newest frame wins: one that comes before the last was
// taken replaces it, so that what is shown is never older than the work on one frame makes it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "programs/live/source.h"

namespace skinmask::live {

struct CaptureOptions {
  SourceOptions source;
  bool every_frame = false;    // wait for frames to be taken, drop none
  bool at_own_rate = false;    // hold frames of a file back until their time
  double start_seconds = 2.8;  // the first frame must come within
  // How long a source that is lost in mid-run is waited for; 0: its loss is its end.
  double wait_seconds = 60;
};

class Capture {
 public:
  // Begins to open the source.
  Capture(const std::string& source, const CaptureOptions& options);
  // Stops. A driver that does not come back within a second is left behind; the program should end
  // by _Exit.
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  // The newest frame, waiting for at most so long. Throws Error when the source could not be
  // opened, no frame came in time, or it was lost and did not come back.
  std::optional<LiveFrame> Take(double seconds);
  // No frame will come any more, and nothing is wrong with that.
  bool ended() const;
  // True while frames come; false while the source is waited for.
  bool running() const;

  std::uint64_t captured() const;
  std::uint64_t dropped() const;  // replaced before they were taken
  Rational rate() const;          // as the source tells
  // Lines for the user since the last call.
  std::vector<std::string> TakeNotices();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace skinmask::live
