// The scores of one image in little memory, so that those of every image can be kept: leaving each
// image out of the pooled measures gives their intervals (docs/math.md, 'Report').
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

// Counts of log-odds per class in coarse bins, each of 128 bins of ScoreHistogram, and the bins of
// the reliability diagram, exact except that each sum of P is rounded to 2^-20. They can be added
// in any order. Memory: some 6 kB for a photograph, 1 kB packed.
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

  std::vector<Bin> bins;  // ascending, without empty ones
  std::array<Probabilities, Reliability::kBins> reliability{};

  CoarseScores() = default;
  explicit CoarseScores(const Scores& scores);
  CoarseScores& operator+=(const CoarseScores& other);
  bool operator==(const CoarseScores&) const = default;
  std::uint64_t Total(bool truth) const;

  // The bins as bytes, for files (docs/formats.md, 'Packed scores').
  std::string Packed() const;
  // Throws Error for input that Packed() and the constructor cannot have made.
  static CoarseScores Unpacked(std::string_view packed,
                               const std::array<Probabilities, Reliability::kBins>& reliability);
};

struct ScoreMeasures {
  std::optional<double> auc, average_precision, ece, ece_middle;
};
// The measures of the sum of all blocks. AUC and average precision are those of coarse bins.
ScoreMeasures MeasuresOf(std::span<const CoarseScores> blocks);
// The measures of the sum of all blocks but one, for each block that is not empty, in their order.
// Cost: 10 us a block.
std::vector<ScoreMeasures> MeasuresWithoutEach(std::span<const CoarseScores> blocks);

}  // namespace skinmask
