// How long frames take, and how many there were.
#pragma once

#include <array>
#include <cstdint>
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
      std::vector<std::uint32_t>(20001);  // the last for 2 s and more
  std::uint64_t count_ = 0;
  double sum_ = 0, maximum_ = 0;
};

enum class Stage { kAdapt, kPosterior, kRegion, kRecord, kShow, kLatency };
constexpr int kStages = 6;
const char* StageName(Stage stage);

struct Statistics {
  std::uint64_t frames = 0;   // worked on
  std::uint64_t dropped = 0;  // came while another was worked on, and made way for a newer one
  double seconds = 0;         // from the first frame on
  double pixels = 0;          // of all frames
  double skin_fraction = 0;   // mean over frames
  std::array<Times, kStages> times;

  Times& of(Stage stage) { return times[static_cast<std::size_t>(stage)]; }
  const Times& of(Stage stage) const { return times[static_cast<std::size_t>(stage)]; }
  double rate() const { return seconds > 0 ? static_cast<double>(frames) / seconds : 0; }
  double PosteriorPerMegapixel() const;  // seconds

  std::string Line() const;
  std::string ToJson() const;
};

}  // namespace skinmask::live
