#include "skinmask/report/bootstrap.h"

#include <algorithm>
#include <random>

#include "report/resample.h"
#include "skinmask/base/error.h"
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

// The ratios of a resample.
struct Resample {
  std::array<Ratio, kRatioCount> pooled, means;
};

// What is drawn from.
struct Population {
  explicit Population(const EvaluationReport& report) : images(report.images) {
    for (const auto& [name, metrics] : images) values.push_back(Values(metrics));
  }

  const std::vector<std::pair<std::string, Metrics>>& images;
  std::vector<std::array<Ratio, kRatioCount>> values;
};

Resample ResampleOf(const Population& population, const std::vector<std::size_t>& drawn) {
  Evaluation sum;
  std::array<double, kRatioCount> totals{};
  std::array<int, kRatioCount> defined{};
  for (const std::size_t image : drawn) {
    sum.counts += population.images[image].second.counts;
    for (std::size_t r = 0; r < kRatioCount; ++r) {
      const Ratio& value = population.values[image][r];
      if (!value) continue;
      totals[r] += *value;
      ++defined[r];
    }
  }
  Resample resample{Values(MetricsOf(sum)), {}};
  for (std::size_t r = 0; r < kRatioCount; ++r)
    if (defined[r] > 0) resample.means[r] = totals[r] / defined[r];
  return resample;
}

// The intervals of what `of` makes of each draw of images.
template <class Of>
BootstrapIntervals Resampled(std::size_t images, int resamples, std::uint64_t seed, const Of& of) {
  Draws pooled, means;
  std::mt19937_64 random(seed);
  std::vector<std::size_t> drawn(images);
  for (int i = 0; images >= 2 && i < resamples; ++i) {
    for (std::size_t& image : drawn) image = DrawIndex(random, images);
    const Resample resample = of(drawn);
    for (std::size_t r = 0; r < kRatioCount; ++r) {
      if (resample.pooled[r]) pooled[r].push_back(*resample.pooled[r]);
      if (resample.means[r]) means[r].push_back(*resample.means[r]);
    }
  }
  return {IntervalsOf(pooled), IntervalsOf(means)};
}

// Both must be there.
Ratio Difference(const Ratio& a, const Ratio& b) { return a && b ? Ratio(*a - *b) : std::nullopt; }

}  // namespace

BootstrapIntervals Bootstrap(const EvaluationReport& report, int resamples, std::uint64_t seed) {
  const Population population(report);
  return Resampled(report.images.size(), resamples, seed,
                   [&](const auto& drawn) { return ResampleOf(population, drawn); });
}

BootstrapIntervals BootstrapDifference(const EvaluationReport& a, const EvaluationReport& b,
                                       int resamples, std::uint64_t seed) {
  const auto same_name = [](const auto& x, const auto& y) { return x.first == y.first; };
  if (!std::ranges::equal(a.images, b.images, same_name))
    throw Error("models", "were judged on other images each (a file changed meanwhile)");
  const Population first(a), second(b);
  return Resampled(a.images.size(), resamples, seed, [&](const auto& drawn) {
    Resample of_a = ResampleOf(first, drawn);
    const Resample of_b = ResampleOf(second, drawn);
    for (std::size_t r = 0; r < kRatioCount; ++r) {
      of_a.pooled[r] = Difference(of_a.pooled[r], of_b.pooled[r]);
      of_a.means[r] = Difference(of_a.means[r], of_b.means[r]);
    }
    return of_a;
  });
}

}  // namespace skinmask
