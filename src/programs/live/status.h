// What the window shows, as values that one thread makes and another reads.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <optional>
#include <string>

#include "base/elapsed.h"
#include "programs/live/view.h"

namespace skinmask::live {

enum class Sampling { kOff, kSkin, kBackground };

struct Status {
  std::string source;
  std::string message;  // for some seconds
  View view = View::kOverlay;
  double divider = 0.5;
  bool paused = false, waiting = true;  // waiting: for the source's next frame
  double threshold = 0.5, prior = 0.5;
  bool adapting = false;
  std::string adapted;  // what was done to the frame: "2 faces"
  bool tracking = false, show_region = true;
  std::string region;  // in words; empty: none
  Sampling sampling = Sampling::kOff;
  std::uint64_t skin_pixels = 0, background_pixels = 0;
  std::size_t rectangles = 0;
  std::string recording;  // the file; empty: none
  double skin_fraction = 0;
  double rate = 0;  // frames a second
  std::uint64_t dropped = 0;
};

// A picture for the screen, and what is to be said about it.
struct Shown {
  Status status;
  cv::Mat picture;               // CV_8UC4, as large as its place on the screen; or empty
  cv::Size drawn, frame;         // the picture before it was scaled, and the frame in it
  std::optional<Region> region;  // to be drawn, in pixels of the frame
  Clock::time_point captured;    // of the frame
  std::uint64_t number = 0;      // of the frame; 0: none yet
  double draw_seconds = 0;       // that making the picture took
  std::uint64_t commands = 0;    // of the user that were carried out before
};

// That a frame is on the screen.
struct Painted {
  std::uint64_t number;
  double latency, seconds;  // since it was captured; of drawing and painting
};

}  // namespace skinmask::live
