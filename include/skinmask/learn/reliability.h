// The reliability diagram and the expected calibration error: they show whether probabilities agree
// with the shares of positive pixels (docs/math.md, 'Report').
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "skinmask/learn/evaluation.h"

namespace [[gnu::visibility("default")]] skinmask {

// Pixels whose P(positive) lies in [low, high); the last bin includes 1.
struct ReliabilityBin {
  double low, high;
  std::uint64_t count = 0, positive = 0;
  double sum = 0;  // sum of P
  std::optional<double> MeanProbability() const;
  std::optional<double> PositiveShare() const;
};

struct Reliability {
  static constexpr int kBins = 15;  // as papers use (Guo et al. 2017)

  std::vector<ReliabilityBin> bins;  // of equal width over 0..1

  explicit Reliability(int bin_count = kBins);
  // Adds pixels of these log-odds. Throws Error for NaN.
  void Add(double log_odds, std::uint64_t positive, std::uint64_t negative);
  // Expected calibration error: sum over bins of count / all * |positive share - mean probability|
  // (Naeini et al. 2015). Absent without pixels.
  std::optional<double> Ece() const { return EceOver(0, 1); }
  // The same over the bins from 0.2 to 0.8 alone. They hold few pixels, so the error over all bins
  // hardly shows them, although it matters most there that P is a share.
  std::optional<double> EceMiddle() const { return EceOver(0.2, 0.8); }

 private:
  // Over the bins within low..high.
  std::optional<double> EceOver(double low, double high) const;
};

Reliability ReliabilityOf(const Scores& scores, int bin_count = Reliability::kBins);

}  // namespace skinmask
