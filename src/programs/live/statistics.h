// Statistics of a live run: the number of frames, their times, and recent values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <string>
#include <vector>

namespace skinmask::live {

// Times in seconds: exact mean and maximum, quantiles to a tenth of a millisecond. Constant memory.
class Times {
 public:
  void Add(double seconds);
  std::uint64_t count() const { return count_; }
  double mean() const { return count_ ? sum_ / static_cast<double>(count_) : 0; }
  double maximum() const { return maximum_; }
  double Quantile(double share) const;

 private:
  static constexpr double kBin = 1e-4;
  std::vector<std::uint32_t> bins_ =
      std::vector<std::uint32_t>(20001);  // the last bin is for 2 s and more
  std::uint64_t count_ = 0;
  double sum_ = 0, maximum_ = 0;
};

enum class Stage { kAdapt, kPosterior, kRegion, kMeasure, kRecord, kShow, kLatency };
constexpr int kStages = 7;

struct Statistics {
  std::uint64_t frames = 0;   // processed frames
  std::uint64_t dropped = 0;  // frames that a newer one replaced before they were processed
  double seconds = 0;         // since the first frame
  double pixels = 0;          // of all frames
  std::string positive;       // the name of the class that is searched for
  double skin_fraction = 0;   // its share, the mean over frames
  std::array<Times, kStages> times;
  std::exception_ptr failure = nullptr;  // the failure that ended the run, if any

  Times& of(Stage stage) { return times[static_cast<std::size_t>(stage)]; }
  const Times& of(Stage stage) const { return times[static_cast<std::size_t>(stage)]; }
  double rate() const { return seconds > 0 ? static_cast<double>(frames) / seconds : 0; }

  std::string Line() const;
  std::string ToJson() const;
};

// The last values of a quantity, for a graph.
class History {
 public:
  explicit History(std::size_t most) : most_(most) {}

  void Add(double value);
  std::size_t most() const { return most_; }
  const std::deque<double>& values() const { return values_; }
  double mean() const;
  double Quantile(double share) const;  // 0 without values
  // The least of 10, 20, 50, 100, 200 ... that no value exceeds: the top of a graph.
  double Ceiling() const;

 private:
  std::size_t most_;
  std::deque<double> values_;
};

}  // namespace skinmask::live
