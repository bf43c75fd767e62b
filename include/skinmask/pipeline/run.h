// How a whole run is watched and stopped. A run is one call that works in parallel (as many threads
// as TBB is allowed), reports in order, and never depends on the number of threads. The library
// prints nothing: what happens is told to the `Run`.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "skinmask/base/problem.h"

namespace [[gnu::visibility("default")]] skinmask {

struct Run {
  ProblemSink problem = [](const Problem&) {};  // once for each file that could not be done
  LineSink warning = [](const std::string&) {};
  LineSink note = [](const std::string&) {};  // what only those want to know who ask for all
  // Each input that there is to do, in order, before the first is begun (the images of an archive
  // when each is done, or failed); with `there` it is left out, since a run before has done it.
  // Then `finished`, for each that is done.
  std::function<void(const std::string& input, bool there)> planned = [](const std::string&, bool) {
  };
  std::function<void()> finished = [] {};
  // Files in folders that are no inputs, and why: "is no image or video by its name".
  PassedOver passed_over = [](const std::filesystem::path&, const std::string&) {};
  // `total` is 0 where it is not known. `counting` comes before when what is counted changes, and
  // everything starts at 0 again: "frames of b.mp4".
  std::function<void(std::size_t done, std::size_t total, std::uint64_t pixels)> progress =
      [](std::size_t, std::size_t, std::uint64_t) {};
  std::function<void(const std::string& unit)> counting = [](const std::string&) {};
  // Files that whoever starts the run writes beside its outputs: where one of them is an input, or
  // an output, the run throws Error before it begins.
  std::vector<std::filesystem::path> written;
  const std::atomic<bool>* stop = nullptr;  // when set: finish what is in flight, then return

  bool Stopped() const { return stop && stop->load(); }
  // A second run over the same files: what there was to say of them has been said.
  Run Again() const {
    Run again;
    again.progress = progress;
    again.stop = stop;
    return again;
  }
};

}  // namespace skinmask
