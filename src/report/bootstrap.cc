#include "skinmask/report/bootstrap.h"

#include <algorithm>
#include <random>

#include "report/resample.h"
#include "skinmask/pipeline/evaluate.h"

namespace skinmask {
namespace {

constexpr std::size_t kRatioCount = 9;
using Ratio = std::optional<double>;

// In the order of Ratios().
std::array<Ratio, kRatioCount> Values(const Metrics& metrics) {
  std::array<Ratio, kRatioCount> values;
  std::size_t i = 0;
  for (const auto& [name, value] : Ratios(metrics)) values.at(i++) = value;
  return values;
}

// What the resamples gave for each ratio, as far as it was defined.
using Draws = std::array<std::vector<double>, kRatioCount>;

NamedIntervals IntervalsOf(Draws& draws) {
  constexpr double kTail = (1 - BootstrapIntervals::kConfidence) / 2;
  NamedIntervals intervals;
  std::size_t i = 0;
  for (const auto& [name, unused] : Ratios(Metrics{})) {
    std::vector<double>& values = draws.at(i++);
    std::sort(values.begin(), values.end());
    intervals.emplace_back(name, std::nullopt);
    if (!values.empty())
      intervals.back().second = Interval{Quantile(values, kTail), Quantile(values, 1 - kTail)};
  }
  return intervals;
}

}  // namespace

BootstrapIntervals Bootstrap(const EvaluationReport& report, int resamples, std::uint64_t seed) {
  Draws pooled, means;
  const std::size_t n = report.images.size();
  std::vector<std::array<Ratio, kRatioCount>> values;
  for (const auto& [name, metrics] : report.images) values.push_back(Values(metrics));
  std::mt19937_64 random(seed);
  for (int resample = 0; n >= 2 && resample < resamples; ++resample) {
    Evaluation sum;
    std::array<double, kRatioCount> totals{};
    std::array<int, kRatioCount> defined{};
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t drawn = DrawIndex(random, n);
      sum.counts += report.images[drawn].second.counts;
      for (std::size_t r = 0; r < kRatioCount; ++r) {
        if (!values[drawn][r]) continue;
        totals[r] += *values[drawn][r];
        ++defined[r];
      }
    }
    const std::array<Ratio, kRatioCount> of_sum = Values(MetricsOf(sum));
    for (std::size_t r = 0; r < kRatioCount; ++r) {
      if (of_sum[r]) pooled[r].push_back(*of_sum[r]);
      if (defined[r] > 0) means[r].push_back(totals[r] / defined[r]);
    }
  }
  return {IntervalsOf(pooled), IntervalsOf(means)};
}

}  // namespace skinmask
