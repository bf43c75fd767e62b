#include "skinmask/learn/reliability.h"

#include <algorithm>
#include <cmath>

#include "skinmask/base/logistic.h"

namespace skinmask {
namespace {

std::optional<double> Ratio(double part, std::uint64_t whole) {
  if (whole == 0) return std::nullopt;
  return part / static_cast<double>(whole);
}

}  // namespace

std::optional<double> ReliabilityBin::MeanProbability() const { return Ratio(sum, count); }
std::optional<double> ReliabilityBin::PositiveShare() const {
  return Ratio(static_cast<double>(positive), count);
}

Reliability::Reliability(int bin_count) {
  for (int i = 0; i < bin_count; ++i)
    bins.push_back({static_cast<double>(i) / bin_count, (i + 1.) / bin_count});
}

void Reliability::Add(double log_odds, std::uint64_t positive, std::uint64_t negative) {
  const double p = Logistic(log_odds);
  const auto count = static_cast<int>(bins.size());
  ReliabilityBin& bin =
      bins[static_cast<std::size_t>(std::min(count - 1, static_cast<int>(p * count)))];
  bin.count += positive + negative;
  bin.positive += positive;
  bin.sum += p * static_cast<double>(positive + negative);
}

std::optional<double> Reliability::Ece() const {
  double sum = 0;
  std::uint64_t all = 0;
  for (const ReliabilityBin& bin : bins) {
    // count * |positive / count - sum / count|
    sum += std::abs(static_cast<double>(bin.positive) - bin.sum);
    all += bin.count;
  }
  return Ratio(sum, all);
}

Reliability ReliabilityOf(const Scores& scores, int bin_count) {
  Reliability reliability(bin_count);
  for (const ScoreStep& step : scores.steps)
    reliability.Add(step.score, step.positive, step.negative);
  return reliability;
}

}  // namespace skinmask
