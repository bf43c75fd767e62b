// What the benchmarks have in common: how time is taken, and how results are told.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace skinmask::bench {

struct Result {
  std::string name;
  std::string size;  // "3840x2160", or "" for folders
  int threads = 1;
  double mpx_per_s = 0;
};
using Results = std::vector<Result>;

// Seconds of the fastest of at least 5 runs that take 0.25 s together; of 2 runs of a slow one.
inline double FastestSeconds(const std::function<void()>& run) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  constexpr double kSlow = 0.5, kEnough = 0.25;
  const Clock::time_point begin = Clock::now();
  double fastest = 1e9;
  for (int i = 0; i < (fastest > kSlow ? 2 : 5) || since(begin) < kEnough; ++i) {
    const Clock::time_point start = Clock::now();
    run();
    fastest = std::min(fastest, since(start));
  }
  return fastest;
}

struct Alternative {
  std::string name;
  std::function<void()> prepare;  // before each run, and not timed
  std::function<void()> run;
};

// Of each the fastest of ten runs, in turn, so that what else the machine does meets them all.
inline std::vector<double> FastestSecondsOf(const std::vector<Alternative>& alternatives) {
  std::vector<double> fastest(alternatives.size(), 1e9);
  for (int round = 0; round < 10; ++round)
    for (std::size_t i = 0; i < alternatives.size(); ++i) {
      alternatives[i].prepare();
      const auto start = std::chrono::steady_clock::now();
      alternatives[i].run();
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      fastest[i] = std::min(fastest[i], seconds.count());
    }
  return fastest;
}

// The thread counts to measure with: one, and all there are.
std::vector<int> ThreadCounts();

// Row functions on a photograph of `samples`, beside OpenCV's; each appends its lines.
void BenchKernels(const std::string& samples, Results& results);
// The search for faces, and adaptation to an image whose faces are found, beside detection without
// it and OpenCV's grabCut.
void BenchAdapt(const std::string& samples, Results& results);
// Whole runs over a folder of JPEGs that is made in `work` from the photographs in `samples`.
void BenchFolders(const std::string& samples, const std::string& work, Results& results);
// A video of 1920x1080 that is made in `work`, through detection and through its codecs alone.
void BenchVideos(const std::string& samples, const std::string& work, Results& results);

}  // namespace skinmask::bench
