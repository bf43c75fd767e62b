// Evaluates masks and scores by counts, which can be added, and by measures that derive from them
// (docs/math.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "skinmask/base/int128.h"
#include "skinmask/data/samples.h"
#include "skinmask/model/model.h"

namespace [[gnu::visibility("default")]] skinmask {

// Confusion counts; positive = skin. Ratios are absent if they are 0/0.
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

// Pixels of one score, and the threshold between them and the step before. Any log-odds between the
// two steps would separate them; the threshold is the one nearest to 0.
struct ScoreStep {
  double threshold;
  std::uint64_t positive, negative;
  double score = 0;  // their log-odds, or the middle of their bin
};

// The scores of labelled pixels, as far as curves need them: steps of ascending log-odds. Pixels of
// one step are tied. Each function is one pass over the steps.
struct Scores {
  std::vector<ScoreStep> steps;
  Int128 squared_error = 0;  // sum of (P - truth)^2 in units of 2^-32, exact

  std::uint64_t Total(bool truth) const;
  // Area under the ROC curve; absent without both classes.
  std::optional<double> Auc() const;
  // The sum over thresholds of (recall step) * precision, as scikit-learn defines average
  // precision.
  std::optional<double> AveragePrecision() const;
  // The mean of (P - truth)^2.
  std::optional<double> Brier() const;
};

// Counts of log-odds per class in fixed bins, which can be added over images, threads and machines
// in any order. Bins are equal steps of the float |z| + 1, 4096 to each of its octaves: 1/4096 wide
// where |z| < 1, and never wider than (|z| + 1) / 4096; 0 is an edge. |z| is capped at 2^18.
// Memory: 2.4 MB after the first Add. An AUC from it is wrong by less than 1e-5 on real data (at
// most by half the share of pairs that fall into one bin).
class ScoreHistogram {
 public:
  void Add(float log_odds, bool truth, std::uint64_t count = 1);
  ScoreHistogram& operator+=(const ScoreHistogram& other);
  ScoreHistogram& operator-=(const ScoreHistogram& part);  // `part` must have been added before
  ScoreHistogram& operator*=(std::uint64_t factor);
  Scores Steps() const;
  Int128 squared_error() const { return squared_error_; }  // as Scores has it

  // The counts as bytes, for files: 40 kB for a photograph of ECU. docs/formats.md, 'Packed
  // scores'.
  std::string Packed() const;
  // Throws Error for bytes that Packed() does not write, and for an impossible squared error.
  static ScoreHistogram Unpacked(std::string_view packed, Int128 squared_error);

 private:
  std::vector<std::uint64_t> counts_;  // empty, or of negatives by bin, then of positives
  Int128 squared_error_ = 0;
};

// The confusion counts of the pixels of ScoreHistogram::Packed() when those above `log_odds` are
// called positive. Exact if `log_odds` is a threshold of Steps() of this histogram or of a sum with
// it. Throws Error as Unpacked.
Confusion CountsAbove(std::string_view packed, double log_odds);

// The evaluation of one image, of one table, or of all of them together.
struct Evaluation {
  Confusion counts;
  std::optional<Scores> scores;  // absent if only masks are evaluated
  // The mean of -log P(truth), where P is that of the positive class or of all others together. For
  // tables only.
  std::optional<double> log_loss = std::nullopt;
};

// Evaluates the model on every colour of the table. Scores are the reference's, and steps are the
// distinct scores. Counts are those of masks (Posterior), which differ from the reference where the
// log-odds are nearer to the threshold than the error of a mask's arithmetic
// (Posterior::ErrorBound). Classes other than the model's positive one are negative. Throws Error
// if no class of the table is one of the model's. Cost: 0.1 us a row, in parallel, and a sort.
Evaluation EvaluateSamples(const Samples& samples, const Model& model);

}  // namespace skinmask
