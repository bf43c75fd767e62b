// A progress bar on standard error, for terminals only and for runs that take a while.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/elapsed.h"

namespace skinmask::cli {

class Progress {
 public:
  // `unit` is what is counted ("images"). Nothing is drawn when quiet or standard error is no
  // terminal, and nothing in the first two seconds.
  Progress(std::string unit, bool quiet);
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // What is counted from now on ("frames of b.mp4"); the clock starts again.
  void Begin(const std::string& unit);
  // `total` is 0 where it is not known.
  void Show(std::size_t done, std::size_t total, std::uint64_t pixels);
  // Takes the bar away for good. (Print and PrintError draw it again below their lines.)
  void Clear();

 private:
  std::string unit_;
  bool enabled_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

}  // namespace skinmask::cli
