// How often the intervals of a report hold what they are of, for scripts/coverage: samples of n
// images are drawn, with replacement, from those of an evaluation (FILE is its only part), whose
// pooled scores are what an interval of a sample should hold. And how often groups, which are drawn
// from these same images, are called different.
//
// usage: interval_coverage FILE [TRIALS]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "pipeline/evaluation_part.h"
#include "skinmask/report/groups.h"
#include "skinmask/report/intervals.h"

namespace {

using namespace skinmask;

struct Image {
  Metrics metrics;
  CoarseScores scores;
};
using Images = std::vector<Image>;

std::uint64_t Next(std::uint64_t& state) {  // SplitMix64
  std::uint64_t z = state += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

EvaluationReport ReportOf(const Images& images) {
  EvaluationReport report;
  Evaluation sum;
  double squared_error = 0;
  for (const Image& image : images) {
    report.images.emplace_back("", image.metrics);
    report.blocks.push_back(image.scores);
    sum.counts += image.metrics.counts;
    squared_error +=
        image.metrics.brier.value_or(0) * static_cast<double>(image.metrics.counts.Total());
  }
  report.pooled = MetricsOf(sum);
  const ScoreMeasures measures = MeasuresOf(report.blocks);
  report.pooled.auc = measures.auc;
  report.pooled.average_precision = measures.average_precision;
  report.pooled.brier = squared_error / static_cast<double>(sum.counts.Total());
  return report;
}

EvaluationReport Drawn(const Images& images, std::size_t count, std::uint64_t& random) {
  Images drawn;
  for (std::size_t i = 0; i < count; ++i) drawn.push_back(images[Next(random) % images.size()]);
  return ReportOf(drawn);
}

// A row for each size of the samples: the shares that held pooled measures, and the mean F1 of an
// image. What has no interval holds nothing.
void PrintCoverage(const Images& images, int trials) {
  const EvaluationReport all = ReportOf(images);
  auto pooled = Ratios(all.pooled);
  auto means = MeanPerImage(all);
  const ScoreMeasures measures = MeasuresOf(all.blocks);
  for (const auto& [name, value] :
       {std::pair("ece", measures.ece), std::pair("ece_middle", measures.ece_middle)}) {
    pooled.emplace_back(name, value);
    means.emplace_back(name, std::nullopt);
  }
  fmt::print(
      "| images | recall | precision | F1 | specificity | AUC | average precision | Brier | ECE | "
      "ECE, P from 0.2 to 0.8 | mean F1 per image |\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|---|---|\n");
  std::uint64_t random = 1;
  for (const std::size_t count : {10, 15, 20, 23, 40, 101}) {
    std::vector<int> held(pooled.size()), held_means(pooled.size());
    for (int trial = 0; trial < trials; ++trial) {
      const ReportIntervals intervals = IntervalsOf(Drawn(images, count, random));
      for (std::size_t r = 0; r < pooled.size(); ++r) {
        const auto holds = [&](const NamedIntervals& named, const std::optional<double>& value) {
          const auto interval = r < named.size() ? named[r].second : std::nullopt;
          return interval && value && interval->low <= *value && *value <= interval->high;
        };
        const auto mean =
            std::ranges::find(means, pooled[r].first, [](const auto& pair) { return pair.first; });
        held[r] += holds(intervals.pooled, pooled[r].second);
        held_means[r] += holds(intervals.mean_per_image, mean->second);
      }
    }
    fmt::print("| {} |", count);
    for (const char* const name : {"recall", "precision", "f1", "specificity", "auc",
                                   "average_precision", "brier", "ece", "ece_middle"})
      for (std::size_t r = 0; r < pooled.size(); ++r)
        if (pooled[r].first == name) fmt::print(" {:.3f} |", 1. * held[r] / trials);
    for (std::size_t r = 0; r < pooled.size(); ++r)
      if (pooled[r].first == "f1") fmt::print(" {:.3f} |\n", 1. * held_means[r] / trials);
  }
}

void PrintGaps(const Images& images, int trials) {
  fmt::print("\n| groups | images of each | recall | precision | F1 |\n|---|---|---|---|---|\n");
  std::uint64_t random = 2;
  for (const std::size_t groups : {2, 3, 6})
    for (const std::size_t each : {10, 20, 40}) {
      std::array<int, 3> certain{};
      Grouping grouping;
      for (std::size_t g = 0; g < groups; ++g) {
        grouping.names.push_back(std::to_string(g));
        grouping.group.insert(grouping.group.end(), each, g);
      }
      for (int trial = 0; trial < trials; ++trial) {
        const GroupScores scores = ScoreGroups(Drawn(images, groups * each, random), grouping);
        for (std::size_t m = 0; m < certain.size(); ++m)
          certain[m] += scores.gaps[m] && scores.gaps[m]->certain();
      }
      fmt::print("| {} | {} |", groups, each);
      for (const int count : certain) fmt::print(" {:.3f} |", 1. * count / trials);
      fmt::print("\n");
    }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: interval_coverage FILE [TRIALS]\n");
    return 2;
  }
  Images images;
  const EvaluationPart part = ReadEvaluationPart(argv[1]);
  for (std::size_t i = 0; i < part.images.size() && i < part.blocks.size(); ++i)
    if (!part.images[i].problem) images.push_back({part.images[i].metrics, part.blocks[i]});
  const int trials = argc > 2 ? std::atoi(argv[2]) : 4000;
  PrintCoverage(images, trials);
  PrintGaps(images, trials);
}
