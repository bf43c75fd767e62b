#include "skinmask/report/intervals.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "base/distributions.h"
#include "pipeline/results_json.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/learn/coarse_scores.h"
#include "skinmask/report/groups.h"

namespace skinmask {
namespace {

// The jackknife of a value: its standard error, and the number of images that this is known from.
// If a few images have most of the errors, the spread is known from few: values u about their mean
// count as (sum u^2)^2 / sum u^4 equal parts. Images whose absence changes nothing, as those
// without skin for recall, give no information about the spread.
struct Jackknife {
  double value, error, informative_images, equal_parts;

  // `outside` is the share of the distribution beyond each end. The degrees of freedom are `times`
  // the equal parts, and at least 2.
  Interval At(double outside, double times) const {
    const double degrees = std::min(std::max(times * equal_parts, 2.), informative_images - 1);
    const double reach = error * StudentQuantile(1 - outside, static_cast<std::size_t>(degrees));
    return {value - reach, value + reach};
  }
};

constexpr double kOutside = (1 - ReportIntervals::kConfidence) / 2;
// Times for At. 1 for single values, because a sample without the rare bad image underestimates the
// spread. For differences between groups that matters less, and 2 is Satterthwaite's (1946).
// scripts/coverage shows the coverage of both.
constexpr double kOfOne = 1, kOfGaps = 2;

Jackknife JackknifeOf(double value, std::span<const double> without) {
  const double n = static_cast<double>(without.size());
  double mean = 0, squares = 0, fourth = 0;
  for (const double one : without) mean += one / n;
  for (const double one : without) {
    const double square = (one - mean) * (one - mean);
    squares += square;
    fourth += square * square;
  }
  const auto informative = n - static_cast<double>(std::ranges::count(without, value));
  return {value, std::sqrt((n - 1) / n * squares), std::max(informative, 2.),
          fourth > 0 ? squares * squares / fourth : n};
}

// The jackknife of the log-odds of a share. They are nearer to a normal distribution than the
// share, and their intervals stay within 0 and 1. Absent if one of the values is undefined, 0 or 1.
std::optional<Jackknife> JackknifeOfShare(std::optional<double> value,
                                          std::span<const std::optional<double>> without) {
  const auto inside = [](const std::optional<double>& share) {
    return share && *share > 0 && *share < 1;
  };
  if (without.size() < 2 || !inside(value) || !std::ranges::all_of(without, inside))
    return std::nullopt;
  std::vector<double> log_odds;
  for (const std::optional<double>& share : without) log_odds.push_back(Logit(*share));
  return JackknifeOf(Logit(*value), log_odds);
}

Interval SharesAt(const Jackknife& log_odds, double outside, double times) {
  const Interval interval = log_odds.At(outside, times);
  return {Logistic(interval.low), Logistic(interval.high)};
}

using Share = std::optional<double>;

// The ratios of all images, or of all but one: pooled in the order of kRatios, then as means.
constexpr std::size_t kRatioCount = std::size(kRatios);
using RatioRow = std::array<Share, 2 * kRatioCount>;

// The places of the ratios that sums over images do not give.
constexpr std::size_t kAuc = 6, kAveragePrecision = 7;

Confusion Less(const Confusion& all, const Confusion& image) {
  return {all.tp - image.tp, all.fp - image.fp, all.fn - image.fn, all.tn - image.tn};
}

// Sums over images, from which one image can be removed.
struct Sums {
  Confusion counts;
  double squared_error = 0;  // of P; NaN unless all images have a Brier score
  std::array<double, kRatioCount> totals{}, defined{};
  std::array<double, kRatioCount> ones{}, zeros{};  // images that have exactly this value

  static double SquaredErrorOf(const Metrics& image) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    if (image.counts.Total() == 0) return 0;
    return image.brier.value_or(kNone) * static_cast<double>(image.counts.Total());
  }
  // `times` is 1 to add the image, and -1 to remove it.
  void Add(const Metrics& image, int times) {
    if (times > 0)
      counts += image.counts;
    else
      counts = Less(counts, image.counts);
    squared_error += times * SquaredErrorOf(image);
    for (std::size_t r = 0; r < kRatioCount; ++r) {
      const Share& value = image.*kRatios[r].second;
      totals[r] += times * value.value_or(0);
      defined[r] += times * value.has_value();
      ones[r] += times * (value == 1.);
      zeros[r] += times * (value == 0.);
    }
  }
  RatioRow Score() const {
    Metrics pooled = MetricsOf({counts, std::nullopt});
    if (counts.Total() > 0 && !std::isnan(squared_error))
      pooled.brier = squared_error / static_cast<double>(counts.Total());
    RatioRow row;
    for (std::size_t r = 0; r < kRatioCount; ++r) {
      row[r] = pooled.*kRatios[r].second;
      // A mean of ones is exactly 1, whatever the rounding of the sum: it has no interval.
      if (defined[r] > 0)
        row[kRatioCount + r] = ones[r] == defined[r]    ? 1
                               : zeros[r] == defined[r] ? 0
                                                        : totals[r] / defined[r];
    }
    return row;
  }
};

// The scores of all images, and without each of them.
struct LeftOut {
  RatioRow all;
  std::vector<RatioRow> without;
  std::vector<ScoreMeasures> scores_without;  // without each block of the report

  explicit LeftOut(const EvaluationReport& report) {
    Sums sums;
    for (const auto& [name, image] : report.images) sums.Add(image, 1);
    all = sums.Score();
    for (const auto& [name, image] : report.images) {
      Sums rest = sums;
      rest.Add(image, -1);
      without.push_back(rest.Score());
    }
    all[kAuc] = report.pooled.auc;
    all[kAveragePrecision] = report.pooled.average_precision;
    scores_without = MeasuresWithoutEach(report.blocks);
  }

  std::vector<Share> Without(std::size_t place) const {
    if (place == kAuc) return Without(&ScoreMeasures::auc);
    if (place == kAveragePrecision) return Without(&ScoreMeasures::average_precision);
    std::vector<Share> values;
    for (const RatioRow& row : without) values.push_back(row[place]);
    return values;
  }
  std::vector<Share> Without(Share ScoreMeasures::*measure) const {
    std::vector<Share> values;
    for (const ScoreMeasures& measures : scores_without) values.push_back(measures.*measure);
    return values;
  }
};

// interval(place) for each ratio of a row.
template <class Of>
ReportIntervals ForEachRatio(const Of& interval) {
  ReportIntervals intervals;
  for (std::size_t r = 0; r < kRatioCount; ++r) {
    intervals.pooled.emplace_back(kRatios[r].first, interval(r));
    intervals.mean_per_image.emplace_back(kRatios[r].first, interval(kRatioCount + r));
  }
  return intervals;
}

// A group in the comparison by one measure.
struct Compared {
  const std::string* name;
  double value;
  Jackknife log_odds;
};

std::optional<Jackknife> JackknifeOfGroup(const std::vector<Confusion>& images,
                                          const Confusion& all, const GroupMeasure& measure) {
  if (images.size() < kLeastGroup) return std::nullopt;
  std::vector<Share> without;
  for (const Confusion& image : images) without.push_back((Less(all, image).*measure.of)());
  return JackknifeOfShare((all.*measure.of)(), without);
}

// The interval of the difference is computed from the intervals of the two groups (Zou and Donner
// 2008). These are so wide that the intervals of all pairs hold at once (Bonferroni).
std::optional<GroupGap> LargestGap(const std::vector<Compared>& groups) {
  if (groups.size() < 2) return std::nullopt;
  const auto [below, above] = std::ranges::minmax_element(groups, {}, &Compared::value);
  const double pairs = static_cast<double>(groups.size() * (groups.size() - 1)) / 2;
  const Interval low = SharesAt(below->log_odds, kOutside / pairs, kOfGaps),
                 high = SharesAt(above->log_odds, kOutside / pairs, kOfGaps);
  const double gap = above->value - below->value;
  return GroupGap{*above->name,
                  *below->name,
                  gap,
                  {gap - std::hypot(above->value - high.low, low.high - below->value),
                   gap + std::hypot(high.high - above->value, below->value - low.low)}};
}

}  // namespace

ReportIntervals IntervalsOf(const EvaluationReport& report) {
  const LeftOut scores(report);
  const auto of_share = [](const Share& all,
                           const std::vector<Share>& without) -> std::optional<Interval> {
    const auto log_odds = JackknifeOfShare(all, without);
    if (!log_odds) return std::nullopt;
    return SharesAt(*log_odds, kOutside, kOfOne);
  };
  ReportIntervals intervals = ForEachRatio(
      [&](std::size_t place) { return of_share(scores.all[place], scores.Without(place)); });
  const ScoreMeasures all = MeasuresOf(report.blocks);
  intervals.pooled.emplace_back("ece", of_share(all.ece, scores.Without(&ScoreMeasures::ece)));
  intervals.pooled.emplace_back(
      "ece_middle", of_share(all.ece_middle, scores.Without(&ScoreMeasures::ece_middle)));
  return intervals;
}

ReportIntervals IntervalsOfDifference(const EvaluationReport& a, const EvaluationReport& b) {
  const auto same_name = [](const auto& x, const auto& y) { return x.first == y.first; };
  if (!std::ranges::equal(a.images, b.images, same_name))
    throw Error("models", "were judged on other images each (a file changed meanwhile)");
  const LeftOut first(a), second(b);
  return ForEachRatio([&](std::size_t place) -> std::optional<Interval> {
    std::vector<Share> of_a = first.Without(place), of_b = second.Without(place);
    if (of_a.size() != of_b.size()) return std::nullopt;  // one has no scores
    of_a.push_back(first.all[place]);
    of_b.push_back(second.all[place]);
    std::vector<double> differences;
    for (std::size_t i = 0; i < of_a.size(); ++i) {
      if (!of_a[i] || !of_b[i]) return std::nullopt;
      differences.push_back(*of_a[i] - *of_b[i]);
    }
    const double all = differences.back();
    differences.pop_back();
    if (differences.size() < 2) return std::nullopt;
    return JackknifeOf(all, differences).At(kOutside, kOfOne);
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
  std::array<std::vector<Compared>, kGroupMeasures.size()> compared;
  for (std::size_t g = 0; g < images.size(); ++g) {
    GroupScore group{grouping.names[g], images[g].size(), {}, {}};
    for (const Confusion& image : images[g]) group.counts += image;
    for (std::size_t m = 0; m < kGroupMeasures.size(); ++m) {
      const auto log_odds = JackknifeOfGroup(images[g], group.counts, kGroupMeasures[m]);
      if (!log_odds) continue;
      group.intervals[m] = SharesAt(*log_odds, kOutside, kOfOne);
      compared[m].push_back(
          {&grouping.names[g], *(group.counts.*kGroupMeasures[m].of)(), *log_odds});
    }
    scores.groups.push_back(std::move(group));
  }
  for (std::size_t m = 0; m < kGroupMeasures.size(); ++m) scores.gaps[m] = LargestGap(compared[m]);
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
