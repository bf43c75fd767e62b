// Scores counted in bins, those of all images (ScoreHistogram) or of one (CoarseScores), and both
// as bytes (docs/formats.md, 'Packed scores').
#include "learn/score_bins.h"

#include <fmt/format.h>

#include <functional>
#include <iterator>
#include <string>

#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/learn/coarse_scores.h"
#include "skinmask/learn/evaluation.h"

namespace skinmask {
namespace {

// Numbers with seven bits a byte, the lowest first; all bytes of a number but the last have their
// top bit set (LEB128).
void AppendNumber(std::uint64_t number, std::string& bytes) {
  for (; number >= 128; number >>= 7) bytes.push_back(static_cast<char>(number | 128));
  bytes.push_back(static_cast<char>(number));
}

std::uint64_t TakeNumber(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (int shift = 0; !bytes.empty() && shift < 63; shift += 7) {
    const auto byte = static_cast<std::uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    number |= std::uint64_t{byte & 127u} << shift;
    if (byte < 128) return number;
  }
  throw Error("scores", "end within a number, or hold one beyond 2^63");
}

// The content of a bin, which follows the gap before it. Most bins of one photograph hold one or a
// few pixels of one truth.
enum Content : std::uint64_t { kOneNegative, kOnePositive, kNegatives, kBoth, kContents };

// Appends a bin, unless it is empty; `next` is the bin after the last appended one.
void AppendBin(std::size_t bin, std::uint64_t positive, std::uint64_t negative, std::size_t& next,
               std::string& bytes) {
  if (positive == 0 && negative == 0) return;
  const Content content = positive == 0 ? negative == 1 ? kOneNegative : kNegatives
                          : positive == 1 && negative == 0 ? kOnePositive
                                                           : kBoth;
  AppendNumber((bin - next) * kContents + content, bytes);
  if (content == kBoth) AppendNumber(positive, bytes);
  if (content == kBoth || content == kNegatives) AppendNumber(negative, bytes);
  next = bin + 1;
}

// Calls take(bin, positive, negative) for each of the `bin_count` bins that AppendBin wrote. Throws
// Error for other bytes.
template <class Take>
void ForEachBin(std::string_view packed, std::size_t bin_count, const Take& take) {
  std::size_t next = 0;
  std::uint64_t total = 0;
  while (!packed.empty()) {
    const std::uint64_t word = TakeNumber(packed), gap = word / kContents;
    const std::uint64_t content = word % kContents;
    if (gap >= bin_count - next)
      throw Error("scores", fmt::format("have more than {} bins", bin_count));
    std::uint64_t positive = content == kOnePositive, negative = content == kOneNegative;
    if (content == kBoth) positive = TakeNumber(packed);
    if (content == kBoth || content == kNegatives) negative = TakeNumber(packed);
    constexpr std::uint64_t kMax = std::uint64_t{1} << 60;
    if (positive + negative == 0 || positive + negative > kMax - total)
      throw Error("scores", "count no pixels, or too many");
    total += positive + negative;
    take(next + gap, positive, negative);
    next += gap + 1;
  }
}

constexpr std::size_t kAllBins = 2 * kHalfOfBins;  // of ScoreHistogram

// The number of ScoreHistogram's bins in a coarse one; 32 coarse bins make an octave of |z| + 1.
constexpr std::size_t kFinePerCoarse = 128;
constexpr std::size_t kHalf = (kHalfOfBins + kFinePerCoarse - 1) / kFinePerCoarse;
constexpr double kUnitsOfP = 1 << 20;

// Bins are counted from z = 0, which is an edge of both kinds of bins.
std::size_t CoarseBinOf(std::size_t fine) {
  return fine < kHalfOfBins ? kHalf - 1 - (kHalfOfBins - 1 - fine) / kFinePerCoarse
                            : kHalf + (fine - kHalfOfBins) / kFinePerCoarse;
}

// Adds pixels to a bin, which is the last one of the list or comes after it.
void AddTo(std::vector<CoarseScores::Bin>& bins, const CoarseScores::Bin& more) {
  if (bins.empty() || bins.back().index != more.index) bins.push_back({more.index, 0, 0});
  bins.back().positive += more.positive;
  bins.back().negative += more.negative;
}

// The measures of the sum of all blocks without one of them.
ScoreMeasures MeasuresWithout(const CoarseScores& sum, const CoarseScores& block) {
  Scores scores;
  auto part = block.bins.begin();  // its bins are among those of the sum
  for (auto [index, positive, negative] : sum.bins) {
    if (part != block.bins.end() && part->index == index) {
      positive -= part->positive;
      negative -= part->negative;
      ++part;
    }
    if (negative + positive > 0) scores.steps.push_back({0, positive, negative});
  }
  Reliability reliability;
  for (std::size_t b = 0; b < reliability.bins.size(); ++b) {
    ReliabilityBin& bin = reliability.bins[b];
    const CoarseScores::Probabilities &all = sum.reliability[b], &less = block.reliability[b];
    bin.count = all.count - less.count;
    bin.positive = all.positive - less.positive;
    bin.sum = static_cast<double>(all.sum - less.sum) / kUnitsOfP;
  }
  return {scores.Auc(), scores.AveragePrecision(), reliability.Ece(), reliability.EceMiddle()};
}

CoarseScores TotalOf(std::span<const CoarseScores> blocks) {
  CoarseScores sum;
  for (const CoarseScores& block : blocks) sum += block;
  return sum;
}

}  // namespace

void ScoreHistogram::Add(float log_odds, bool truth, std::uint64_t count) {
  if (counts_.empty()) counts_.resize(2 * kAllBins);
  counts_[(truth ? kAllBins : 0) + BinOf(log_odds)] += count;
  const double error = Logistic(truth ? -log_odds : log_odds);
  squared_error_ += static_cast<Int128>(count) * std::llround(error * error * kFixedPoint);
}

ScoreHistogram& ScoreHistogram::operator+=(const ScoreHistogram& other) {
  if (counts_.empty()) return *this = other;
  std::ranges::transform(counts_, other.counts_, counts_.begin(), std::plus());
  squared_error_ += other.squared_error_;
  return *this;
}

ScoreHistogram& ScoreHistogram::operator-=(const ScoreHistogram& part) {
  std::ranges::transform(counts_, part.counts_, counts_.begin(), std::minus());
  squared_error_ -= part.squared_error_;
  return *this;
}

ScoreHistogram& ScoreHistogram::operator*=(std::uint64_t factor) {
  for (std::uint64_t& count : counts_) count *= factor;
  squared_error_ *= factor;
  return *this;
}

Scores ScoreHistogram::Steps() const {
  Scores scores{{}, squared_error_};
  double end_of_last = -kMaxMagnitude;
  for (std::size_t i = 0; i < counts_.size() / 2; ++i) {
    const std::uint64_t negative = counts_[i], positive = counts_[kAllBins + i];
    if (positive == 0 && negative == 0) continue;
    scores.steps.push_back({ThresholdBetween(end_of_last, LowerEdge(i)), positive, negative,
                            (LowerEdge(i) + LowerEdge(i + 1)) / 2});
    end_of_last = LowerEdge(i + 1);
  }
  return scores;
}

std::string ScoreHistogram::Packed() const {
  std::string bytes;
  std::size_t next = 0;
  for (std::size_t i = 0; i < counts_.size() / 2; ++i)
    AppendBin(i, counts_[kAllBins + i], counts_[i], next, bytes);
  return bytes;
}

ScoreHistogram ScoreHistogram::Unpacked(std::string_view packed, Int128 squared_error) {
  ScoreHistogram scores;
  if (!packed.empty()) scores.counts_.resize(2 * kAllBins);
  std::uint64_t total = 0;
  ForEachBin(packed, kAllBins,
             [&](std::size_t bin, std::uint64_t positive, std::uint64_t negative) {
               scores.counts_[bin] = negative;
               scores.counts_[kAllBins + bin] = positive;
               total += positive + negative;
             });
  if (squared_error < 0 || squared_error > (static_cast<Int128>(total) << 32))
    throw Error("squared error", "is below 0, or above the number of pixels");
  scores.squared_error_ = squared_error;
  return scores;
}

Confusion CountsAbove(std::string_view packed, double log_odds) {
  Confusion counts;
  ForEachBin(packed, kAllBins,
             [&](std::size_t bin, std::uint64_t positive, std::uint64_t negative) {
               const bool above = LowerEdge(bin + 1) > log_odds;  // no threshold lies within a bin
               counts.Add(true, above, positive);
               counts.Add(false, above, negative);
             });
  return counts;
}

CoarseScores::CoarseScores(const Scores& scores) {
  for (const auto& [threshold, positive, negative, score] : scores.steps)
    AddTo(bins, {CoarseBinOf(BinOf(static_cast<float>(score))), positive, negative});
  const Reliability exact = ReliabilityOf(scores);
  for (std::size_t b = 0; b < exact.bins.size(); ++b)
    reliability.at(b) = {exact.bins[b].count, exact.bins[b].positive,
                         static_cast<std::uint64_t>(std::llround(exact.bins[b].sum * kUnitsOfP))};
}

CoarseScores& CoarseScores::operator+=(const CoarseScores& other) {
  std::vector<Bin> both;
  std::ranges::merge(bins, other.bins, std::back_inserter(both), {}, &Bin::index, &Bin::index);
  bins.clear();
  for (const Bin& bin : both) AddTo(bins, bin);
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
  for (const Bin& bin : bins) AppendBin(bin.index, bin.positive, bin.negative, next, bytes);
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
  return MeasuresWithout(TotalOf(blocks), CoarseScores());
}

std::vector<ScoreMeasures> MeasuresWithoutEach(std::span<const CoarseScores> blocks) {
  const CoarseScores sum = TotalOf(blocks);
  std::vector<ScoreMeasures> measures;
  for (const CoarseScores& block : blocks)
    if (!block.bins.empty()) measures.push_back(MeasuresWithout(sum, block));
  return measures;
}

}  // namespace skinmask
