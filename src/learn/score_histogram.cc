#include <fmt/format.h>

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

// Numbers of seven bits a byte, the lowest first; all but the last byte of one have their top bit
// set (LEB128).
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

// What follows the gap before a bin: most bins of one photograph hold one or a few pixels of one
// side.
enum Content : std::uint64_t { kOneNegative, kOnePositive, kNegatives, kBoth, kContents };

// Calls take(bin, positive, negative) for what Packed() holds. Throws Error for anything else.
template <class Take>
void ForEachBin(std::string_view packed, const Take& take) {
  std::size_t next = 0;
  std::uint64_t total = 0;
  while (!packed.empty()) {
    const std::uint64_t word = TakeNumber(packed), gap = word / kContents;
    const std::uint64_t content = word % kContents;
    if (gap >= 2 * kHalfOfBins - next)
      throw Error("scores", fmt::format("have more than {} bins", 2 * kHalfOfBins));
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
    const Content content = positive == 0 ? negative == 1 ? kOneNegative : kNegatives
                            : positive == 1 && negative == 0 ? kOnePositive
                                                             : kBoth;
    AppendNumber((i - next) * kContents + content, bytes);
    if (content == kBoth) AppendNumber(positive, bytes);
    if (content == kBoth || content == kNegatives) AppendNumber(negative, bytes);
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
  ForEachBin(packed, [&](std::size_t bin, std::uint64_t positive, std::uint64_t negative) {
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
  ForEachBin(packed, [&](std::size_t bin, std::uint64_t positive, std::uint64_t negative) {
    const bool above = LowerEdge(bin + 1) > log_odds;  // which no edge of a step divides
    counts.Add(true, above, positive);
    counts.Add(false, above, negative);
  });
  return counts;
}

}  // namespace skinmask
