// Masks and scores are judged by counts that add up, and by what derives from them (docs/math.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "skinmask/base/int128.h"
#include "skinmask/data/samples.h"
#include "skinmask/model/model.h"

namespace [[gnu::visibility("default")]] skinmask {

// Confusion counts; positive = skin. Ratios are absent where they are 0/0.
struct Confusion {
  std::uint64_t tp = 0, fp = 0, fn = 0, tn = 0;

  void Add(bool truth, bool predicted, std::uint64_t count = 1) {
    (truth ? (predicted ? tp : fn) : (predicted ? fp : tn)) += count;
  }
  Confusion& operator+=(const Confusion& other);
  bool operator==(const Confusion&) const = default;
  std::uint64_t Total() const { return tp + fp + fn + tn; }

  std::optional<double> Accuracy() const;     // (tp + tn) / all
  std::optional<double> Precision() const;    // tp / (tp + fp)
  std::optional<double> Recall() const;       // tp / (tp + fn)
  std::optional<double> Specificity() const;  // tn / (tn + fp)
  std::optional<double> F1() const;           // 2 tp / (2 tp + fp + fn)
  std::optional<double> Iou() const;          // tp / (tp + fp + fn)
};

// Pixels that score alike, and the threshold that divides them from the step before: any log-odds
// between the two steps would do, so it is the one nearest to 0.
struct ScoreStep {
  double threshold;
  std::uint64_t positive, negative;
  double score = 0;  // their log-odds; the middle of the bin where they were counted in bins
};

// Scores of labelled pixels, as far as curves need them: steps of ascending log-odds, scores within
// a step counting as tied. Each function is one pass over the steps.
struct Scores {
  std::vector<ScoreStep> steps;
  Int128 squared_error = 0;  // sum of (P - truth)^2 in multiples of 2^-32, so that it is exact

  std::uint64_t Total(bool truth) const;
  // Area under the ROC curve; absent without both classes.
  std::optional<double> Auc() const;
  // Sum over thresholds of (recall step) * precision, as scikit-learn defines it.
  std::optional<double> AveragePrecision() const;
  // Mean of (P - truth)^2.
  std::optional<double> Brier() const;
};

// Counts of log-odds per class in fixed bins, which add up over images, threads and machines in any
// order. Bins are equal steps of the float |z| + 1, 4096 to each of its octaves: 1/4096 wide where
// |z| < 1, and never wider than (|z| + 1) / 4096; 0 is an edge. |z| is capped at 2^18.
// Memory: 2.4 MB once anything was added. An AUC from it is off by less than 1e-5 on real data (by
// half the share of pairs that fall into one bin at most).
class ScoreHistogram {
 public:
  void Add(float log_odds, bool truth, std::uint64_t count = 1);
  ScoreHistogram& operator+=(const ScoreHistogram& other);
  ScoreHistogram& operator-=(const ScoreHistogram& part);  // of what was added to it before
  ScoreHistogram& operator*=(std::uint64_t factor);
  Scores Steps() const;
  Int128 squared_error() const { return squared_error_; }  // as Scores has it

  // The counts as bytes, for files: 40 kB for a photograph of ECU. docs/formats.md, 'Packed
  // scores'.
  std::string Packed() const;
  // Throws Error for what Packed() does not write, and for a squared error that cannot be.
  static ScoreHistogram Unpacked(std::string_view packed, Int128 squared_error);

 private:
  std::vector<std::uint64_t> positive_, negative_;  // empty, or one count per bin
  Int128 squared_error_ = 0;
};

// What calling positive whatever is above `log_odds`, a threshold of Steps() of this histogram or
// of a sum with it, gives for the counts of ScoreHistogram::Packed(). Exact. Throws Error as
// Unpacked.
Confusion CountsAbove(std::string_view packed, double log_odds);

// Everything that evaluation tells of one image, one table, or all of them together.
struct Evaluation {
  Confusion counts;
  std::optional<Scores> scores;  // absent where only masks are judged
  // Mean of -log P(the side that is true), P the positive class's or all others'. On tables only.
  std::optional<double> log_loss = std::nullopt;
};

// The model's answer for every colour of the table. Scores are the reference's, and steps the
// distinct ones; counts are those of masks (Posterior), which differ where the log-odds are nearer
// to the threshold than a mask's arithmetic tells (Posterior::ErrorBound). Classes other than the
// model's positive one count as negative. Throws Error if no class of the table is one of the
// model's. Cost: 0.1 us a row, in parallel, and a sort.
Evaluation EvaluateSamples(const Samples& samples, const Model& model);

}  // namespace skinmask
