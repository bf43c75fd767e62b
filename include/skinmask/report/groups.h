// The scores of groups of images with their intervals, and the differences between groups
// (docs/math.md, 'Groups').
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "skinmask/learn/evaluation.h"
#include "skinmask/pipeline/evaluate.h"
#include "skinmask/report/intervals.h"

namespace [[gnu::visibility("default")]] skinmask {

// A measure by which groups are compared, pooled over their pixels.
struct GroupMeasure {
  std::string_view name, shown;
  std::optional<double> (Confusion::*of)() const;
};
inline constexpr std::array<GroupMeasure, 3> kGroupMeasures{
    {{"recall", "recall", &Confusion::Recall},
     {"precision", "precision", &Confusion::Precision},
     {"f1", "F1", &Confusion::F1}}};
// Smaller groups get no interval and are not compared, because so few images do not show their
// spread.
inline constexpr std::size_t kLeastGroup = 10;

struct GroupScore {
  std::string name;
  std::size_t images = 0;
  Confusion counts;
  // In the order of kGroupMeasures; absent also if one image decides the measure (IntervalsOf).
  std::array<std::optional<Interval>, 3> intervals;
};

// The largest difference between two groups that have intervals. Its interval holds for all pairs
// of groups at once, because the two were chosen for their difference.
struct GroupGap {
  std::string above, below;
  double gap;
  Interval interval;
  bool certain() const { return interval.low > 0; }
};

struct GroupScores {
  std::vector<GroupScore> groups;               // in the grouping's order
  std::array<std::optional<GroupGap>, 3> gaps;  // absent with fewer than two groups to compare
  std::size_t in_none = 0;                      // images that are in no group
  // The gap of a measure as a sentence.
  std::string Words(std::size_t measure) const;
};

// 95 % intervals over the images of each group, as those of IntervalsOf. Cost: images * 1 us.
GroupScores ScoreGroups(const EvaluationReport& report, const Grouping& grouping);

}  // namespace skinmask
