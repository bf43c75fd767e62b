// Models are compared by cross-validation without leaks (docs/math.md, 'Cross-validation').
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "skinmask/data/samples.h"
#include "skinmask/learn/class_counts.h"
#include "skinmask/learn/evaluation.h"
#include "skinmask/learn/fit.h"
#include "skinmask/learn/folds.h"

namespace [[gnu::visibility("default")]] skinmask {

// Names to combine into candidates: every kind in every space with every choice of channels.
struct CandidateNames {
  // Kinds, those beyond the Gaussian ones with a setting or without: "mixture:2" (components),
  // "histogram:16", "histogram-nb:64" (bins), "logistic:linear" (or squares, quadratic).
  std::vector<std::string> kinds, spaces;
  // "all", "subsets" (each non-empty subset of a space's channels), or channels as "Cr,Cb" (in
  // those spaces that have them).
  std::vector<std::string> channels{"all"};
  std::vector<Shrinkage> shrinkages;  // none: 0; for the kinds that have full covariances: qda, lda
  FitOptions base;                    // all other settings
};

// Each candidate once, in the order of kinds, then spaces, channels, shrinkages. Throws Error for
// unknown names, and for channels that no space has.
std::vector<FitOptions> Candidates(const CandidateNames& names);

// "qda BGR", "mixture:4 YCrCb:Cr,Cb", "lda BGR shrinkage 0.1".
std::string CandidateName(const FitOptions& options);

// What a model fitted on the other folds scores on this one. Absent where it is 0/0.
struct FoldScore {
  std::optional<double> auc, best_f1, log_loss;  // best_f1: over this fold's own thresholds
  // By the greatest posterior of all classes, and the mean of -log P(true class): of two classes,
  // too.
  std::optional<double> accuracy = std::nullopt, class_log_loss = std::nullopt;
  // Of a candidate on what it was fitted to, log P(class | colour) of all pixels, Akaike's and the
  // Bayesian information criterion (docs/math.md, 'Choosing a model').
  std::optional<double> log_likelihood = std::nullopt, aic = std::nullopt, bic = std::nullopt;
  Confusion counts;              // at P > 0.5
  ClassCounts classes;           // by the greatest posterior; empty for K = 2
  double seconds = 0;            // to fit
  std::uint64_t parameters = 0;  // FreeParameters of the model
};

struct Estimate {
  std::optional<double> mean;            // over the folds where it is defined
  std::optional<double> standard_error;  // s / sqrt(folds), absent for fewer than two
};

// 2 p - 2 log L and p log n - 2 log L of p free parameters and n pixels.
double Aic(double log_likelihood, std::uint64_t parameters);
double Bic(double log_likelihood, std::uint64_t parameters, double pixels);

// How many numbers of a model were free to follow its data, each class's means, covariances,
// weights and shares of bins counting, priors too (docs/math.md, 'Choosing a model').
std::uint64_t FreeParameters(const Model& model);

// A model to judge as it is. Nothing is known of what it was trained on: where that was the table,
// its scores flatter it.
struct GivenModel {
  std::string name;
  Model model;
};

enum class Criterion { kAuc, kBestF1, kLogLoss, kAccuracy, kClassLogLoss };
// "auc", "f1", "log-loss", "accuracy", "class-log-loss"; CriterionFromName throws Error that lists
// them.
std::string_view CriterionName(Criterion criterion);
Criterion CriterionFromName(std::string_view name);

struct ComparedModel {
  FitOptions options;                    // of a candidate
  std::string problem;                   // why it could not be fitted or scored; empty if it was
  std::vector<FoldScore> folds;          // empty with a problem
  std::optional<GivenModel> given = {};  // instead of a candidate

  std::string Name() const;          // the candidate's, or the given model's
  std::uint64_t Parameters() const;  // the most of any fold's model
  Estimate Of(Criterion criterion) const;
  Estimate Auc() const;
  Estimate BestF1() const;
  Estimate LogLoss() const;
  Estimate MeanOf(std::optional<double> FoldScore::*score) const;
  double Seconds() const;  // to fit, mean over folds
  // Over the pixels of all folds.
  Confusion PooledCounts() const;
  ClassCounts PooledClasses() const;  // empty for K = 2
  std::optional<double> PooledLogLoss() const;
};

struct CompareOptions {
  std::size_t folds = 5;
  std::uint64_t seed = 0;
  Criterion select = Criterion::kAuc;
  // Called after each fit, one at a time; `pixels` were scored so far.
  std::function<void(std::size_t done, std::size_t total, std::uint64_t pixels)> progress = {};
  const std::atomic<bool>* stop = nullptr;  // when set: leave out what is not begun, end fits
};

struct Comparison {
  Folds folds;
  // Best first by the mean of the criterion to nine digits, equals in the order of the candidates,
  // given models after them; those with a problem last.
  std::vector<ComparedModel> models;
  Criterion select = Criterion::kAuc;
  std::uint64_t seed = 0;
};

// A model's score less the best one's, on the same folds. Its standard error is that of Nadeau and
// Bengio (2003), who allow for training parts that overlap, and its interval of 95 % is `reach` to
// either side, by Student's t; both are absent with fewer than two folds that have both scores.
struct PairedDifference {
  std::optional<double> mean, standard_error, reach;
};

// Breiman's rule of one standard error, of differences in pairs: the models whose difference to the
// best is within its own standard error do as well as it, as far as the data tell, and of these the
// one with the fewest free parameters is taken (docs/math.md, 'Choosing a model').
struct Choice {
  // The best mean less one standard error of its own (of log-loss, and one), which says how much
  // the folds vary; the rule does not ask for it.
  double limit = 0;
  std::vector<PairedDifference> differences;  // for each of Comparison::models,
  std::vector<bool> within;                   // and whether it is within one standard error
  std::size_t simplest = 0;                   // its index; of equals the better one
};
// Absent where no model was scored.
std::optional<Choice> OneStandardErrorRule(const Comparison& comparison);

// Fits every candidate on all folds but one and scores it on that one, in parallel. All but the
// seconds is the same for any number of threads and any order of rows. A candidate that cannot be
// fitted gets a problem, and the rest goes on. After a stop what it returns is of no use.
// Cost: candidates * folds * (Fit + EvaluateSamples). Memory: the table once more for each fold
// that is being worked on (with more candidates than threads, two), 60 bytes a held-out row for
// each thread.
// A given model is scored on the same folds, at P > 0.5 whatever its threshold. A candidate's own
// `progress` is called from several threads, and its `stop` is not used.
Comparison Compare(const Samples& samples, const std::vector<FitOptions>& candidates,
                   const CompareOptions& options, const std::vector<GivenModel>& given = {});

// The steps of Compare, for those that divide the models among several runs. Every model in the
// order of the candidates, then of the given ones, without scores; then scores for those that
// `comparison` still has (false after a stop); then, when all have them, the best first.
Comparison Unscored(const Samples& samples, const std::vector<FitOptions>& candidates,
                    const CompareOptions& options, const std::vector<GivenModel>& given);
bool ScoreModels(const Samples& samples, const CompareOptions& options, Comparison& comparison);
void SortModels(Comparison& comparison);

}  // namespace skinmask
