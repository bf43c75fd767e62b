#include "skinmask/report/bootstrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "skinmask/base/error.h"
#include "skinmask/pipeline/evaluate.h"
#include "skinmask/report/groups.h"

namespace skinmask {
namespace {

// An index below n, with equal chances. The standard fixes what the generator gives, but not what
// its distributions make of it.
std::size_t DrawIndex(std::mt19937_64& random, std::size_t n) {
  return ((random() >> 32) * n) >> 32;
}

// The quantile of sorted values, linear between them.
double Quantile(const std::vector<double>& sorted, double share) {
  const double position = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// None of draws that are none.
std::optional<Interval> IntervalOf(std::vector<double> draws) {
  if (draws.empty()) return std::nullopt;
  constexpr double kTail = (1 - BootstrapIntervals::kConfidence) / 2;
  std::ranges::sort(draws);
  return Interval{Quantile(draws, kTail), Quantile(draws, 1 - kTail)};
}

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

NamedIntervals IntervalsOf(const Draws& draws) {
  NamedIntervals intervals;
  std::size_t i = 0;
  for (const auto& [name, unused] : Ratios(Metrics{}))
    intervals.emplace_back(name, IntervalOf(draws.at(i++)));
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

constexpr std::size_t kMeasures = kGroupMeasures.size();

// What the resamples gave for each measure: one value each, or none at all.
using GroupDraws = std::array<std::vector<double>, kMeasures>;

// Images are drawn within their group, the groups being as large as they are (the bootstrap of
// several samples: Efron, Tibshirani 1993, chapter 8).
GroupDraws DrawsOf(const std::vector<Confusion>& images, std::mt19937_64& random) {
  GroupDraws draws;
  if (images.size() < kLeastGroup) return draws;
  for (int resample = 0; resample < BootstrapIntervals::kResamples; ++resample) {
    Confusion sum;
    for (std::size_t i = 0; i < images.size(); ++i) sum += images[DrawIndex(random, images.size())];
    for (std::size_t m = 0; m < kMeasures; ++m)
      if (const auto value = (sum.*kGroupMeasures[m].of)()) draws[m].push_back(*value);
  }
  for (std::vector<double>& values : draws)
    if (values.size() < BootstrapIntervals::kResamples) values.clear();
  return draws;
}

// A group as far as it is compared by one measure.
struct Compared {
  const std::string* name;
  double value, error;          // the standard error
  std::vector<double> strayed;  // of each resample, the difference to the mean of all
};

Compared ComparedOf(const std::string& name, double value, const std::vector<double>& draws) {
  double sum = 0, squares = 0;
  for (const double draw : draws) sum += draw;
  const double mean = sum / static_cast<double>(draws.size());
  Compared group{&name, value, 0, draws};
  for (double& draw : group.strayed) {
    draw -= mean;
    squares += draw * draw;
  }
  group.error = std::sqrt(squares / static_cast<double>(draws.size() - 1));
  return group;
}

// How many standard errors the difference of a pair strays at most, over all pairs, in 95 % of the
// resamples.
double WidestStray(const std::vector<Compared>& groups) {
  std::vector<double> widest(BootstrapIntervals::kResamples);
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (std::size_t j = i + 1; j < groups.size(); ++j) {
      const double error = std::hypot(groups[i].error, groups[j].error);
      for (std::size_t r = 0; error > 0 && r < widest.size(); ++r)
        widest[r] =
            std::max(widest[r], std::abs(groups[i].strayed[r] - groups[j].strayed[r]) / error);
    }
  std::ranges::sort(widest);
  return Quantile(widest, BootstrapIntervals::kConfidence);
}

std::optional<GroupGap> LargestGap(const std::vector<Compared>& groups) {
  if (groups.size() < 2) return std::nullopt;
  const auto [below, above] = std::ranges::minmax_element(groups, {}, &Compared::value);
  const double gap = above->value - below->value;
  const double reach = WidestStray(groups) * std::hypot(below->error, above->error);
  return GroupGap{
      *above->name, *below->name, gap, {std::max(gap - reach, -1.), std::min(gap + reach, 1.)}};
}

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

GroupScores ScoreGroups(const EvaluationReport& report, const Grouping& grouping) {
  GroupScores scores;
  std::vector<std::vector<Confusion>> images(grouping.names.size());
  for (std::size_t i = 0; i < grouping.group.size(); ++i) {
    if (const auto group = grouping.group[i])
      images[*group].push_back(report.images[i].second.counts);
    else
      ++scores.in_none;
  }
  std::mt19937_64 random(BootstrapIntervals::kSeed);
  std::array<std::vector<Compared>, kMeasures> compared;
  for (std::size_t g = 0; g < images.size(); ++g) {
    GroupScore group{grouping.names[g], images[g].size(), {}, {}};
    for (const Confusion& image : images[g]) group.counts += image;
    const GroupDraws draws = DrawsOf(images[g], random);
    for (std::size_t m = 0; m < kMeasures; ++m) {
      group.intervals[m] = IntervalOf(draws[m]);
      if (!draws[m].empty())
        compared[m].push_back(
            ComparedOf(grouping.names[g], *(group.counts.*kGroupMeasures[m].of)(), draws[m]));
    }
    scores.groups.push_back(std::move(group));
  }
  for (std::size_t m = 0; m < kMeasures; ++m) scores.gaps[m] = LargestGap(compared[m]);
  return scores;
}

std::string GroupScores::Words(std::size_t measure) const {
  const std::string_view name = kGroupMeasures.at(measure).shown;
  const std::optional<GroupGap>& largest = gaps.at(measure);
  if (!largest)
    return fmt::format(
        "{}: too few data to compare, fewer than two groups have {} images with enough to measure",
        name, kLeastGroup);
  const auto& [above, below, gap, interval] = *largest;
  return fmt::format("{}: '{}' is {:.3f} above '{}' ({:.3f} to {:.3f}){}", name, above, gap, below,
                     interval.low, interval.high,
                     largest->certain() ? "" : ", which says nothing: it may be 0");
}

}  // namespace skinmask
