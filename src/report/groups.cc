#include "skinmask/report/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "report/resample.h"

namespace skinmask {
namespace {

constexpr std::size_t kMeasures = kGroupMeasures.size();

// What the resamples gave for each measure: one value each, or none at all.
using GroupDraws = std::array<std::vector<double>, kMeasures>;

// Images are drawn within their group, the groups being as large as they are (the bootstrap of
// several samples: Efron, Tibshirani 1993, chapter 8).
GroupDraws DrawsOf(const std::vector<Confusion>& images, std::mt19937_64& random) {
  GroupDraws draws;
  if (images.size() < kLeastGroup) return draws;
  for (int resample = 0; resample < kResamples; ++resample) {
    Confusion sum;
    for (std::size_t i = 0; i < images.size(); ++i) sum += images[DrawIndex(random, images.size())];
    for (std::size_t m = 0; m < kMeasures; ++m)
      if (const auto value = (sum.*kGroupMeasures[m].of)()) draws[m].push_back(*value);
  }
  for (std::vector<double>& values : draws)
    if (values.size() < kResamples) values.clear();
  return draws;
}

std::optional<Interval> IntervalOf(std::vector<double> draws) {
  if (draws.empty()) return std::nullopt;
  constexpr double kTail = (1 - BootstrapIntervals::kConfidence) / 2;
  std::ranges::sort(draws);
  return Interval{Quantile(draws, kTail), Quantile(draws, 1 - kTail)};
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
  std::vector<double> widest(kResamples);
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

GroupScores ScoreGroups(const EvaluationReport& report, const Grouping& grouping) {
  GroupScores scores;
  std::vector<std::vector<Confusion>> images(grouping.names.size());
  for (std::size_t i = 0; i < grouping.group.size(); ++i) {
    if (const auto group = grouping.group[i])
      images[*group].push_back(report.images[i].second.counts);
    else
      ++scores.in_none;
  }
  std::mt19937_64 random(kSeed);
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
