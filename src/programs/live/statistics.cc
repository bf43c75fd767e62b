#include "programs/live/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/json.h"

namespace skinmask::live {
namespace {

constexpr const char* kStageNames[kStages] = {"adapt",  "posterior", "region", "measure",
                                              "record", "show",      "latency"};

// In milliseconds.
double PosteriorPerMegapixel(const Statistics& s) {
  const Times& posterior = s.of(Stage::kPosterior);
  return s.pixels > 0
             ? 1e3 * (posterior.mean() * static_cast<double>(posterior.count()) / (s.pixels / 1e6))
             : 0;
}

}  // namespace

void Times::Add(double seconds) {
  const double bin = std::clamp(seconds / kBin, 0.0, static_cast<double>(bins_.size() - 1));
  ++bins_[static_cast<std::size_t>(bin)];
  ++count_;
  sum_ += seconds;
  maximum_ = std::max(maximum_, seconds);
}

double Times::Quantile(double share) const {
  const double wanted = share * static_cast<double>(count_);
  double seen = 0;
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    seen += bins_[i];
    if (seen >= wanted && seen > 0) return std::min(maximum_, kBin * static_cast<double>(i + 1));
  }
  return maximum_;
}

std::string Statistics::Line() const {
  const Times& latency = of(Stage::kLatency);
  return fmt::format(
      "{} {} in {:.1f} s: {:.1f} frames/s, {} dropped; {} {:.1f} %; latency {:.1f} ms, 95 % "
      "within {:.1f}, all "
      "within {:.1f}; posterior {:.2f} ms a megapixel",
      frames, frames == 1 ? "frame" : "frames", seconds, rate(), dropped, positive,
      100 * skin_fraction, 1e3 * latency.mean(), 1e3 * latency.Quantile(0.95),
      1e3 * latency.maximum(), PosteriorPerMegapixel(*this));
}

std::string Statistics::ToJson() const {
  Json stages;
  for (std::size_t i = 0; i < kStages; ++i) {
    const Times& t = times[i];
    if (t.count() == 0) continue;
    stages[kStageNames[i]] = {{"mean_ms", 1e3 * t.mean()},
                              {"median_ms", 1e3 * t.Quantile(0.5)},
                              {"p95_ms", 1e3 * t.Quantile(0.95)},
                              {"p99_ms", 1e3 * t.Quantile(0.99)},
                              {"max_ms", 1e3 * t.maximum()}};
  }
  Json root{{"frames", frames},
            {"dropped", dropped},
            {"seconds", seconds},
            {"frames_per_second", rate()},
            {"skin_fraction", skin_fraction},
            {"posterior_ms_per_megapixel", PosteriorPerMegapixel(*this)},
            {"stages", stages}};
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const std::exception& e) {
    root["failed"] = e.what();
  }
  return JsonText(root, 2) + "\n";
}

void History::Add(double value) {
  values_.push_back(value);
  if (values_.size() > most_) values_.pop_front();
}

double History::mean() const {
  const auto n = static_cast<double>(values_.size());
  return values_.empty() ? 0 : std::accumulate(values_.begin(), values_.end(), 0.0) / n;
}

double History::Quantile(double share) const {
  if (values_.empty()) return 0;
  std::vector<double> sorted(values_.begin(), values_.end());
  const auto last = static_cast<double>(sorted.size() - 1);
  const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(share * last + 0.5);
  std::ranges::nth_element(sorted, at);
  return *at;
}

double History::Ceiling() const {
  constexpr double kFactors[] = {2, 2.5, 2};
  const double most = values_.empty() ? 0 : *std::ranges::max_element(values_);
  double ceiling = 10;
  for (std::size_t i = 0; ceiling < most; i = (i + 1) % 3) ceiling *= kFactors[i];
  return ceiling;
}

}  // namespace skinmask::live
