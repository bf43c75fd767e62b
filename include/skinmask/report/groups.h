// Groups of images have scores, which are more or less sure, and lie more or less far apart
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

// What groups are compared by, pooled over their pixels.
struct GroupMeasure {
  std::string_view name, shown;
  std::optional<double> (Confusion::*of)() const;
};
inline constexpr std::array<GroupMeasure, 3> kGroupMeasures{
    {{"recall", "recall", &Confusion::Recall},
     {"precision", "precision", &Confusion::Precision},
     {"f1", "F1", &Confusion::F1}}};
// Groups of fewer images get no interval and are not compared: so few tell nothing of their spread.
inline constexpr std::size_t kLeastGroup = 10;

struct GroupScore {
  std::string name;
  std::size_t images = 0;
  Confusion counts;
  // In the order of kGroupMeasures; absent also where one image decides the measure (IntervalsOf).
  std::array<std::optional<Interval>, 3> intervals;
};

// The largest difference between two groups that have intervals. Its interval holds for all pairs
// of groups at once, as the two were chosen for being far apart.
struct GroupGap {
  std::string above, below;
  double gap;
  Interval interval;
  bool certain() const { return interval.low > 0; }
};

struct GroupScores {
  std::vector<GroupScore> groups;               // as the grouping names them
  std::array<std::optional<GroupGap>, 3> gaps;  // absent with fewer than two groups to compare
  std::size_t in_none = 0;                      // images that are in no group
  // What the gap of a measure says, in a sentence.
  std::string Words(std::size_t measure) const;
};

// 95 % intervals over the images of each group, as IntervalsOf has them. Cost: images * 1 us.
GroupScores ScoreGroups(const EvaluationReport& report, const Grouping& grouping);

}  // namespace skinmask
