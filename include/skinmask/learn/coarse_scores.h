// The scores of an image, small enough to be kept of each: how the pooled measures change without
// it tells how sure they are (docs/math.md, 'Report').
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skinmask/learn/evaluation.h"
#include "skinmask/learn/reliability.h"

namespace [[gnu::visibility("default")]] skinmask {

// Counts of log-odds per class in bins of which 128 of ScoreHistogram's make one, and the bins of
// the reliability diagram, which are exact but for the rounding of P to 2^-20 of a pixel's. They
// add up in any order. Memory: some 6 kB for a photograph, 1 kB packed.
struct CoarseScores {
  struct Bin {
    std::size_t index;
    std::uint64_t positive, negative;
    bool operator==(const Bin&) const = default;
  };
  // As ReliabilityBin, with the sum of P in multiples of 2^-20.
  struct Probabilities {
    std::uint64_t count = 0, positive = 0, sum = 0;
    bool operator==(const Probabilities&) const = default;
  };

  std::vector<Bin> bins;  // ascending, those that are not empty
  std::array<Probabilities, Reliability::kBins> reliability{};

  CoarseScores() = default;
  explicit CoarseScores(const Scores& scores);
  CoarseScores& operator+=(const CoarseScores& other);
  bool operator==(const CoarseScores&) const = default;
  std::uint64_t Total(bool truth) const;

  // The bins as bytes, for files (docs/formats.md, 'Packed scores').
  std::string Packed() const;
  // Throws Error for what Packed() and the constructor do not make.
  static CoarseScores Unpacked(std::string_view packed,
                               const std::array<Probabilities, Reliability::kBins>& reliability);
};

struct ScoreMeasures {
  std::optional<double> auc, average_precision, ece, ece_middle;
};
// Of the sum of all blocks. AUC and average precision are those of coarse bins.
ScoreMeasures MeasuresOf(std::span<const CoarseScores> blocks);
// Of the sum of all blocks but one, for each block that is not empty, in their order. Cost: 10 us a
// block.
std::vector<ScoreMeasures> MeasuresWithoutEach(std::span<const CoarseScores> blocks);

}  // namespace skinmask
