#include "skinmask/report/groups.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace skinmask {
namespace {

// Images whose recall lies around a mean for each group; all have so many pixels that they weigh
// alike.
EvaluationReport Images(const std::vector<double>& means, std::size_t each, std::uint64_t seed) {
  constexpr std::uint64_t kTrue = 1000;
  std::mt19937_64 random(seed);
  EvaluationReport report;
  Grouping grouping{"group", "test", {}, {}, {}};
  for (std::size_t g = 0; g < means.size(); ++g) {
    grouping.names.push_back("g" + std::to_string(g));
    for (std::size_t i = 0; i < each; ++i) {
      const double recall = means[g] + static_cast<double>(random() % 201) / 1000 - 0.1;
      Confusion c;
      c.tp = static_cast<std::uint64_t>(recall * kTrue);
      c.fn = kTrue - c.tp;
      c.fp = 200;
      c.tn = 10000;
      report.images.emplace_back("i", MetricsOf({c, std::nullopt}));
      grouping.group.push_back(g);
    }
  }
  report.groupings.push_back(grouping);
  return report;
}

GroupScores ScoresOf(const EvaluationReport& report) {
  return ScoreGroups(report, report.groupings[0]);
}

TEST(Groups, IntervalsAreThoseOfTheNormalApproximation) {
  const EvaluationReport report = Images({0.5, 0.8}, 100, 1);
  const GroupScores scores = ScoresOf(report);
  std::vector<double> mean(2), squares(2);
  for (std::size_t i = 0; i < report.images.size(); ++i) {
    const double recall = *report.images[i].second.recall;
    mean[i / 100] += recall / 100;
    squares[i / 100] += recall * recall / 100;
  }
  std::vector<double> error;
  for (std::size_t g = 0; g < 2; ++g) {
    error.push_back(std::sqrt((squares[g] - mean[g] * mean[g]) / 100));
    const GroupScore& group = scores.groups[g];
    EXPECT_EQ(group.images, 100u);
    EXPECT_NEAR(*group.counts.Recall(), mean[g], 1e-12);
    EXPECT_NEAR(group.intervals[0]->low, mean[g] - 1.96 * error[g], 0.25 * error[g]);
    EXPECT_NEAR(group.intervals[0]->high, mean[g] + 1.96 * error[g], 0.25 * error[g]);
  }
  // One pair alone: no more than its own interval.
  const GroupGap& gap = *scores.gaps[0];
  const double of_both = std::hypot(error[0], error[1]);
  EXPECT_EQ(gap.above, "g1");
  EXPECT_EQ(gap.below, "g0");
  EXPECT_NEAR(gap.gap, mean[1] - mean[0], 1e-12);
  EXPECT_NEAR(gap.interval.low, gap.gap - 1.96 * of_both, 0.25 * of_both);
  EXPECT_NEAR(gap.interval.high, gap.gap + 1.96 * of_both, 0.25 * of_both);
  EXPECT_TRUE(gap.certain());
}

// The largest of fifteen differences between equal groups is often two standard errors of that one
// pair; it is to be called certain in one case of twenty nevertheless.
TEST(Groups, EqualGroupsAreSeldomToldApart) {
  int certain = 0, by_itself = 0;
  constexpr int kTrials = 200;
  for (int trial = 0; trial < kTrials; ++trial) {
    const EvaluationReport report = Images(std::vector<double>(6, 0.6), 20, 100 + trial);
    const GroupScores scores = ScoresOf(report);
    certain += scores.gaps[0]->certain();
    const auto error = [](const GroupScore& group) {
      return (group.intervals[0]->high - group.intervals[0]->low) / (2 * 1.96);
    };
    by_itself += scores.gaps[0]->gap > 1.96 * std::sqrt(2.) * error(scores.groups[0]);
  }
  EXPECT_LE(certain, 10);
  EXPECT_GT(by_itself, 50);
}

// Of images with as many pixels of skin each the pooled recall is the mean one.
TEST(Intervals, OfPoolsAndMeansAreTheSameWhereTheseAre) {
  const ReportIntervals intervals = IntervalsOf(Images({0.6}, 5, 3));
  const auto recall = [](const auto& named) {
    const auto found =
        std::ranges::find_if(named, [](const auto& one) { return one.first == "recall"; });
    return found->second.value();
  };
  const Interval pooled = recall(intervals.pooled), mean = recall(intervals.mean_per_image);
  EXPECT_NEAR(pooled.low, mean.low, 1e-9);
  EXPECT_NEAR(pooled.high, mean.high, 1e-9);
}

// Without the first image the mean is exactly 1, which has no log-odds. (As a difference of sums it
// would be a little less.)
TEST(Intervals, AMeanOfOnesHasNone) {
  for (const std::uint64_t found : {3u, 5u}) {
    EvaluationReport report;
    for (const std::uint64_t tp : {found, 10ul, 10ul})
      report.images.emplace_back("", MetricsOf({{tp, 1, 10 - tp, 5}, std::nullopt}));
    const auto means = IntervalsOf(report).mean_per_image;
    const auto recall =
        std::ranges::find_if(means, [](const auto& one) { return one.first == "recall"; });
    ASSERT_NE(recall, means.end());
    EXPECT_FALSE(recall->second.has_value()) << found;
  }
}

TEST(Groups, TooFewImagesAreNotCompared) {
  EvaluationReport report = Images({0.3, 0.6, 0.9}, 12, 5);
  Grouping& grouping = report.groupings[0];
  for (std::size_t i = 0; i < 3; ++i) grouping.group[24 + i] = std::nullopt;  // 9 of g2 are left
  grouping.names.push_back("nobody");
  const GroupScores few = ScoresOf(report);
  EXPECT_EQ(few.in_none, 3u);
  EXPECT_EQ(few.groups[2].images, kLeastGroup - 1);
  EXPECT_GT(*few.groups[2].counts.Recall(), 0.8);
  EXPECT_FALSE(few.groups[2].intervals[0]);
  grouping.group[24] = 2;
  EXPECT_TRUE(ScoresOf(report).groups[2].intervals[0]);
  grouping.group[24] = std::nullopt;
  EXPECT_EQ(few.groups[3].images, 0u);
  EXPECT_FALSE(few.groups[3].counts.Recall());
  EXPECT_EQ(few.gaps[0]->above, "g1");
  EXPECT_EQ(few.Words(0).find("recall: 'g1' is 0."), 0u) << few.Words(0);
  for (std::size_t i = 0; i < 12; ++i) grouping.group[i] = std::nullopt;
  EXPECT_FALSE(ScoresOf(report).gaps[0]);
  EXPECT_NE(ScoresOf(report).Words(0).find("too few data"), std::string::npos);
}

// A recall that is none without one of the images, the only one with skin, and with two that is
// known from two.
TEST(Groups, WhatOneImageDecidesHasNoInterval) {
  for (const std::size_t with_skin : {1, 2}) {
    EvaluationReport report = Images({0.5, 0.7}, 12, 7);
    for (std::size_t i = with_skin; i < 12; ++i) {
      Confusion none = report.images[i].second.counts;
      none.tn += none.tp + none.fn;
      none.tp = none.fn = 0;
      report.images[i].second = MetricsOf({none, std::nullopt});
    }
    const GroupScores scores = ScoresOf(report);
    EXPECT_TRUE(scores.groups[0].counts.Recall());
    for (std::size_t m = 0; m < 3; ++m) {
      EXPECT_EQ(scores.groups[0].intervals[m].has_value(), with_skin == 2);
      EXPECT_EQ(scores.gaps[m].has_value(), with_skin == 2);
    }
  }
}

}  // namespace
}  // namespace skinmask
