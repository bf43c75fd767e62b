// Frames a second over the last of them.
#pragma once

#include <deque>

#include "base/elapsed.h"

namespace skinmask::live {

class RateMeter {
 public:
  void Tick() {
    times_.push_back(Clock::now());
    if (times_.size() > 31) times_.pop_front();
  }
  double rate() const {
    if (times_.size() < 2) return 0;
    const double span = std::chrono::duration<double>(times_.back() - times_.front()).count();
    return static_cast<double>(times_.size() - 1) / span;
  }

 private:
  std::deque<Clock::time_point> times_;
};

}  // namespace skinmask::live
