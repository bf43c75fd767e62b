#include <fmt/format.h>

#include "learn/packed_bins.h"
#include "learn/score_bins.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/learn/evaluation.h"

namespace skinmask {
namespace {

Int128 SquaredError(double log_odds, bool truth, std::uint64_t count) {
  const double error = Logistic(truth ? -log_odds : log_odds);
  return static_cast<Int128>(count) * std::llround(error * error * kFixedPoint);
}

}  // namespace

void ScoreHistogram::Add(float log_odds, bool truth, std::uint64_t count) {
  if (positive_.empty()) {
    positive_.resize(2 * kHalfOfBins);
    negative_.resize(2 * kHalfOfBins);
  }
  (truth ? positive_ : negative_)[BinOf(log_odds)] += count;
  squared_error_ += SquaredError(log_odds, truth, count);
}

ScoreHistogram& ScoreHistogram::operator+=(const ScoreHistogram& other) {
  if (positive_.empty()) return *this = other;
  for (std::size_t i = 0; i < other.positive_.size(); ++i) {
    positive_[i] += other.positive_[i];
    negative_[i] += other.negative_[i];
  }
  squared_error_ += other.squared_error_;
  return *this;
}

ScoreHistogram& ScoreHistogram::operator-=(const ScoreHistogram& part) {
  for (std::size_t i = 0; i < part.positive_.size(); ++i) {
    positive_[i] -= part.positive_[i];
    negative_[i] -= part.negative_[i];
  }
  squared_error_ -= part.squared_error_;
  return *this;
}

ScoreHistogram& ScoreHistogram::operator*=(std::uint64_t factor) {
  for (std::uint64_t& count : positive_) count *= factor;
  for (std::uint64_t& count : negative_) count *= factor;
  squared_error_ *= factor;
  return *this;
}

Scores ScoreHistogram::Steps() const {
  Scores scores{{}, squared_error_};
  double end_of_last = -kMaxMagnitude;
  for (std::size_t i = 0; i < positive_.size(); ++i) {
    if (positive_[i] == 0 && negative_[i] == 0) continue;
    scores.steps.push_back({ThresholdBetween(end_of_last, LowerEdge(i)), positive_[i], negative_[i],
                            (LowerEdge(i) + LowerEdge(i + 1)) / 2});
    end_of_last = LowerEdge(i + 1);
  }
  return scores;
}

std::string ScoreHistogram::Packed() const {
  std::string bytes;
  std::size_t next = 0;
  for (std::size_t i = 0; i < positive_.size(); ++i) {
    if (positive_[i] == 0 && negative_[i] == 0) continue;
    const std::uint64_t positive = positive_[i], negative = negative_[i];
    AppendBin(i - next, positive, negative, bytes);
    next = i + 1;
  }
  return bytes;
}

ScoreHistogram ScoreHistogram::Unpacked(std::string_view packed, Int128 squared_error) {
  ScoreHistogram scores;
  if (!packed.empty()) {
    scores.positive_.resize(2 * kHalfOfBins);
    scores.negative_.resize(2 * kHalfOfBins);
  }
  std::uint64_t total = 0;
  ForEachBin(packed, 2 * kHalfOfBins,
             [&](std::size_t bin, std::uint64_t positive, std::uint64_t negative) {
               scores.positive_[bin] = positive;
               scores.negative_[bin] = negative;
               total += positive + negative;
             });
  if (squared_error < 0 || squared_error > (static_cast<Int128>(total) << 32))
    throw Error("squared error", "is below 0, or above the number of pixels");
  scores.squared_error_ = squared_error;
  return scores;
}

Confusion CountsAbove(std::string_view packed, double log_odds) {
  Confusion counts;
  ForEachBin(packed, 2 * kHalfOfBins,
             [&](std::size_t bin, std::uint64_t positive, std::uint64_t negative) {
               const bool above = LowerEdge(bin + 1) > log_odds;  // which no edge of a step divides
               counts.Add(true, above, positive);
               counts.Add(false, above, negative);
             });
  return counts;
}

}  // namespace skinmask
