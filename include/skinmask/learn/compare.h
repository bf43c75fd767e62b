// Compares models by cross-validation without leaks (docs/math.md, 'Cross-validation').
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

// The parts of candidates: every kind is combined with every space and every choice of channels.
struct CandidateNames {
  // Kinds. Those that are not Gaussian may have a setting: "mixture:2" (components),
  // "histogram:16", "histogram-nb:64" (bins), "logistic:linear" (or squares, quadratic).
  std::vector<std::string> kinds, spaces;
  // "all", "subsets" (each non-empty subset of a space's channels), or channels as "Cr,Cb" (in the
  // spaces that have them).
  std::vector<std::string> channels{"all"};
  std::vector<Shrinkage> shrinkages;  // empty: 0; for qda and lda
  FitOptions base;                    // all other settings
};

// Each candidate once, in the order of kinds, then spaces, channels, shrinkages. Throws Error for
// unknown names, and for channels that none of the spaces has.
std::vector<FitOptions> Candidates(const CandidateNames& names);

// "qda BGR", "mixture:4 YCrCb:Cr,Cb", "lda BGR shrinkage 0.1".
std::string CandidateName(const FitOptions& options);

// The scores on one fold of a model that was fitted on the other folds. Absent if they are 0/0.
struct FoldScore {
  std::optional<double> auc, best_f1, log_loss;  // best_f1: at the fold's best threshold
  // The share of pixels that are called their class (that of the greatest posterior, with
  // Model::class_costs that of the least cost), and the mean of -log P(true class); for two
  // classes, too.
  std::optional<double> accuracy = std::nullopt, class_log_loss = std::nullopt;
  // For a candidate, on its training folds: log P(class | colour) of all pixels, and Akaike's and
  // the Bayesian information criterion (docs/math.md, 'Choosing a model').
  std::optional<double> log_likelihood = std::nullopt, aic = std::nullopt, bic = std::nullopt;
  Confusion counts;              // at P > 0.5
  ClassCounts classes;           // empty for two classes without costs
  double seconds = 0;            // of the fit
  std::uint64_t parameters = 0;  // FreeParameters of the model
};

struct Estimate {
  std::optional<double> mean;            // over the folds that have the score
  std::optional<double> standard_error;  // s / sqrt(folds); absent for fewer than two folds
};

// 2 p - 2 log L and p log n - 2 log L for p free parameters and n pixels.
double Aic(double log_likelihood, std::uint64_t parameters);
double Bic(double log_likelihood, std::uint64_t parameters, double pixels);

// The number of free parameters of a model: each class's means, covariances, weights and shares of
// bins, and the priors (docs/math.md, 'Choosing a model'). Throws Error if it has no classes.
std::uint64_t FreeParameters(const Model& model);

// A model that is compared without a fit. Its training data are unknown: if they were this table,
// its scores are too good.
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
  FitOptions options;                    // the candidate's
  std::string problem;                   // why it was not fitted or scored; else empty
  std::vector<FoldScore> folds;          // empty with a problem
  std::optional<GivenModel> given = {};  // the given model, instead of a candidate

  std::string Name() const;          // the candidate's, or the given model's
  std::uint64_t Parameters() const;  // the maximum over the folds' models
  Estimate Of(Criterion criterion) const;
  bool IsScored() const;  // whether some folds have an AUC, an F1 and a log-loss
  Estimate MeanOf(std::optional<double> FoldScore::*score) const;
  double Seconds() const;  // of a fit, mean over folds
  // Pooled over the pixels of all folds.
  Confusion PooledCounts() const;
  ClassCounts PooledClasses() const;  // empty for K = 2
  std::optional<double> PooledLogLoss() const;
};

struct CompareOptions {
  std::size_t folds = 5;
  std::uint64_t seed = 0;
  Criterion select = Criterion::kAuc;
  // Called after each fit, one call at a time; `pixels` have been scored so far.
  std::function<void(std::size_t done, std::size_t total, std::uint64_t pixels)> progress = {};
  const std::atomic<bool>* stop = nullptr;  // when set: start no more fits, end running ones
};

struct Comparison {
  Folds folds;
  // The best first, by the mean of the criterion to nine digits. Equal ones are in the order of the
  // candidates, then of the given models. Models with a problem come last.
  std::vector<ComparedModel> models;
  Criterion select = Criterion::kAuc;
  std::uint64_t seed = 0;
};

// The mean difference between a model's score and the best model's on the same folds. The standard
// error is that of Nadeau and Bengio (2003), which allows for overlapping training folds. The 95 %
// interval is `reach` to either side, by Student's t. Both are absent with fewer than two folds
// that have both scores.
struct PairedDifference {
  std::optional<double> mean, standard_error, reach;
};

// Breiman's rule of one standard error, for paired differences. Models whose difference from the
// best is within its own standard error count as equally good; the one with the fewest free
// parameters is chosen (docs/math.md, 'Choosing a model').
struct Choice {
  // The best mean less one standard error of its own (for log-loss: plus one). It shows how much
  // the folds vary, and is not a part of the rule.
  double limit = 0;
  std::vector<PairedDifference> differences;  // for each of Comparison::models
  std::vector<bool> within;                   // whether the difference is within one standard error
  std::size_t simplest = 0;                   // the chosen index; among equals the better one
};
// Absent if no model was scored.
std::optional<Choice> OneStandardErrorRule(const Comparison& comparison);

// Fits every candidate on all folds but one and scores it on that fold, for each fold, in parallel.
// Everything but the seconds is the same for any number of threads and any order of rows. A
// candidate that cannot be fitted gets a problem, and the others go on. After a stop the result is
// incomplete and must not be used. Cost: candidates * folds * (Fit + EvaluateSamples). Memory: one
// more table for each fold in progress (two with more candidates than threads), and 60 bytes for
// each held-out row and thread. A given model is scored on the same folds, at P > 0.5 whatever its
// threshold. A candidate's own `progress` is called from several threads, and its `stop` is not
// used.
Comparison Compare(const Samples& samples, const std::vector<FitOptions>& candidates,
                   const CompareOptions& options, const std::vector<GivenModel>& given = {});

// The steps of Compare, for callers that divide the models among several runs. Unscored: every
// candidate, then every given model, without scores. ScoreModels: scores those in `comparison`
// (false after a stop). SortModels: once all have scores, puts the best first.
Comparison Unscored(const Samples& samples, const std::vector<FitOptions>& candidates,
                    const CompareOptions& options, const std::vector<GivenModel>& given);
bool ScoreModels(const Samples& samples, const CompareOptions& options, Comparison& comparison);
void SortModels(Comparison& comparison);

}  // namespace skinmask
