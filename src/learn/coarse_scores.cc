#include "skinmask/learn/coarse_scores.h"

#include <algorithm>
#include <cmath>

#include "learn/packed_bins.h"
#include "learn/score_bins.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

// Of ScoreHistogram's bins so many are one here, 32 to an octave of |z| + 1.
constexpr std::size_t kFinePerCoarse = 128;
constexpr std::size_t kHalf = (kHalfOfBins + kFinePerCoarse - 1) / kFinePerCoarse;
constexpr double kUnitsOfP = 1 << 20;

// Counted from 0, which is an edge of both kinds of bins.
std::size_t CoarseBinOf(std::size_t fine) {
  return fine < kHalfOfBins ? kHalf - 1 - (kHalfOfBins - 1 - fine) / kFinePerCoarse
                            : kHalf + (fine - kHalfOfBins) / kFinePerCoarse;
}

using Counts = std::array<std::uint64_t, 2>;  // negative, positive

// The measures of what is in the sum and not in `block`.
class Rest {
 public:
  explicit Rest(std::span<const CoarseScores> blocks) : counts_(2 * kHalf) {
    for (const CoarseScores& block : blocks) {
      for (const auto& [index, positive, negative] : block.bins) {
        counts_[index][1] += positive;
        counts_[index][0] += negative;
      }
      sum_ += block;
    }
  }

  ScoreMeasures Without(const CoarseScores& block) const {
    std::vector<Counts> counts = counts_;
    for (const auto& [index, positive, negative] : block.bins) {
      counts[index][1] -= positive;
      counts[index][0] -= negative;
    }
    Scores scores;
    for (const auto& [negative, positive] : counts)
      if (negative + positive > 0) scores.steps.push_back({0, positive, negative});
    Reliability reliability;
    for (std::size_t b = 0; b < reliability.bins.size(); ++b) {
      ReliabilityBin& bin = reliability.bins[b];
      bin.count = sum_.reliability[b].count - block.reliability[b].count;
      bin.positive = sum_.reliability[b].positive - block.reliability[b].positive;
      bin.sum = static_cast<double>(sum_.reliability[b].sum - block.reliability[b].sum) / kUnitsOfP;
    }
    return {scores.Auc(), scores.AveragePrecision(), reliability.Ece(), reliability.EceMiddle()};
  }

 private:
  std::vector<Counts> counts_;
  CoarseScores sum_;
};

}  // namespace

CoarseScores::CoarseScores(const Scores& scores) {
  for (const ScoreStep& step : scores.steps) {
    const std::size_t index = CoarseBinOf(BinOf(static_cast<float>(step.score)));
    if (bins.empty() || bins.back().index != index) bins.push_back({index, 0, 0});
    bins.back().positive += step.positive;
    bins.back().negative += step.negative;
  }
  const Reliability exact = ReliabilityOf(scores);
  for (std::size_t b = 0; b < exact.bins.size(); ++b)
    reliability.at(b) = {exact.bins[b].count, exact.bins[b].positive,
                         static_cast<std::uint64_t>(std::llround(exact.bins[b].sum * kUnitsOfP))};
}

CoarseScores& CoarseScores::operator+=(const CoarseScores& other) {
  std::vector<Bin> both;
  auto mine = bins.begin();
  for (const Bin& bin : other.bins) {
    for (; mine != bins.end() && mine->index < bin.index; ++mine) both.push_back(*mine);
    both.push_back(bin);
    if (mine == bins.end() || mine->index != bin.index) continue;
    both.back().positive += mine->positive;
    both.back().negative += mine->negative;
    ++mine;
  }
  both.insert(both.end(), mine, bins.end());
  bins = std::move(both);
  for (std::size_t b = 0; b < reliability.size(); ++b) {
    reliability[b].count += other.reliability[b].count;
    reliability[b].positive += other.reliability[b].positive;
    reliability[b].sum += other.reliability[b].sum;
  }
  return *this;
}

std::uint64_t CoarseScores::Total(bool truth) const {
  std::uint64_t total = 0;
  for (const Bin& bin : bins) total += truth ? bin.positive : bin.negative;
  return total;
}

std::string CoarseScores::Packed() const {
  std::string bytes;
  std::size_t next = 0;
  for (const Bin& bin : bins) {
    AppendBin(bin.index - next, bin.positive, bin.negative, bytes);
    next = bin.index + 1;
  }
  return bytes;
}

CoarseScores CoarseScores::Unpacked(
    std::string_view packed, const std::array<Probabilities, Reliability::kBins>& reliability) {
  CoarseScores scores;
  ForEachBin(packed, 2 * kHalf,
             [&](std::size_t bin, std::uint64_t positive, std::uint64_t negative) {
               scores.bins.push_back({bin, positive, negative});
             });
  const std::uint64_t positives = scores.Total(true), all = positives + scores.Total(false);
  std::uint64_t count = 0, positive = 0;
  for (const Probabilities& bin : reliability) {
    if (bin.count > all - count || bin.positive > bin.count ||
        static_cast<double>(bin.sum) > kUnitsOfP * static_cast<double>(bin.count))
      throw Error("reliability", "counts more pixels than there are, or P beyond 1");
    count += bin.count;
    positive += bin.positive;
  }
  if (count != all || positive != positives)
    throw Error("reliability", "does not add up to the bins of the scores");
  scores.reliability = reliability;
  return scores;
}

ScoreMeasures MeasuresOf(std::span<const CoarseScores> blocks) {
  return Rest(blocks).Without(CoarseScores());
}

std::vector<ScoreMeasures> MeasuresWithoutEach(std::span<const CoarseScores> blocks) {
  const Rest rest(blocks);
  std::vector<ScoreMeasures> measures;
  for (const CoarseScores& block : blocks)
    if (!block.bins.empty()) measures.push_back(rest.Without(block));
  return measures;
}

}  // namespace skinmask
