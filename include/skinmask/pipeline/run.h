// How a caller observes and stops a run. A run is one call that works in parallel (with as many
// threads as TBB may use) and reports results in order. Its results do not depend on the number of
// threads. The library prints nothing: all messages go to the `Run`.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "skinmask/base/error.h"
#include "skinmask/base/problem.h"

namespace [[gnu::visibility("default")]] skinmask {

// The functions should not throw: depending on where one is called, what it throws ends the run, or
// counts as a failure of the input, which `problem` is told.
struct Run {
  ProblemSink problem = [](const Problem&) {};  // once for each file that failed
  LineSink warning = [](const std::string&) {};
  LineSink note = [](const std::string&) {};  // details for verbose output
  // `planned` is called for each input in order, before the first one is started (for images of an
  // archive when each is finished or failed). `there` is true for inputs that are skipped because
  // an earlier run has done them. `finished` is called for each input that is done, and `left_out`
  // instead for one that another run has done since it was planned.
  std::function<void(const std::string& input, bool there)> planned = [](const std::string&, bool) {
  };
  // Called after `planned` of an archive that an earlier run has done, with the number of its
  // images less one: so all images count, although none is named.
  std::function<void(std::size_t images)> planned_more = [](std::size_t) {};
  std::function<void()> finished = [] {};
  std::function<void(const std::string& input)> left_out = [](const std::string&) {};
  // Files in folders that are not inputs, with the reason: "is no image or video by its name".
  PassedOver passed_over = [](const std::filesystem::path&, const std::string&) {};
  // `total` is 0 if unknown. `counting` is called before the unit of the counts changes, for
  // example to "frames of b.mp4"; the counts then restart at 0.
  std::function<void(std::size_t done, std::size_t total, std::uint64_t pixels)> progress =
      [](std::size_t, std::size_t, std::uint64_t) {};
  std::function<void(const std::string& unit)> counting = [](const std::string&) {};
  // Files that the caller writes beside the outputs. If one of them is an input or an output, the
  // run throws Error before it begins.
  std::vector<std::filesystem::path> written;
  // When true, started inputs are finished and the run returns.
  const std::atomic<bool>* stop = nullptr;

  bool Stopped() const { return stop && stop->load(); }
  // For a second run over the same files, whose messages the first run has reported already.
  Run Again() const {
    Run again;
    again.progress = progress;
    again.stop = stop;
    return again;
  }
  // For the numbers of images or pixels in the first run and the second one, which reports no
  // problem: throws Error if they differ, so that nothing is missing without a word.
  void RequireAsBefore(std::uint64_t first, std::uint64_t second) const {
    if (first != second && !Stopped())
      throw Error("files",
                  "could not be read a second time as before (did they change meanwhile?)");
  }
};

}  // namespace skinmask
