// Training makes a model of exact moments, or of the table of samples itself.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "skinmask/base/options.h"
#include "skinmask/data/moments.h"
#include "skinmask/data/samples.h"
#include "skinmask/model/model.h"

namespace [[gnu::visibility("default")]] skinmask {

// How far covariances are drawn towards their own diagonal: (1 - s) S + s diag(S). `s` absent means
// the choice of Ledoit and Wolf (2004) on standardised features, per class.
struct Shrinkage {
  std::optional<double> s = 0;  // 0..1
};

// Logistic regression by Newton's method (iteratively re-weighted least squares), by gradient
// ascent on the mean log-likelihood of standardised terms, or by stochastic gradient ascent, a
// colour at a time.
struct LogisticOptions {
  enum class Terms { kLinear, kSquares, kQuadratic };  // f; f, f_i^2; f, f_i f_j
  enum class Solver { kNewton, kGradient, kSgd };
  Terms terms = Terms::kQuadratic;
  Solver solver = Solver::kNewton;
  double ridge = 0;  // lambda of the penalty lambda / 2 |w|^2 on the mean log-likelihood's scale
  std::optional<double> step;     // gradient: 1, sgd: 0.1; newton takes none
  std::optional<int> iterations;  // at most; newton: 50, gradient: 10000, sgd: 50 (passes)
  double tolerance = 1e-9;        // of the relative change of the log-likelihood in an iteration
};

// "linear", "squares", "quadratic"; TermsFromName throws Error that lists them.
std::string_view TermsName(LogisticOptions::Terms terms);
LogisticOptions::Terms TermsFromName(std::string_view name);
// "newton", "gradient", "sgd".
std::string_view SolverName(LogisticOptions::Solver solver);

// Gaussian mixtures by expectation-maximisation, from k-means++ with a fixed seed. Components that
// the data do not need lose their pixels, and are left out.
struct MixtureOptions {
  int components = 4;  // of every class that is not named
  std::vector<std::pair<std::string, int>> of_class;
  int iterations = 1000;
  double tolerance = 1e-7;  // of the change of the mean log-posterior in an iteration
  std::uint64_t seed = 1;
};

struct FitOptions {
  Kind kind = Kind::kQda;
  Features features;
  Estimator estimator = Estimator::kMaximumLikelihood;
  Shrinkage shrinkage;
  LogisticOptions logistic;
  MixtureOptions mixture;
  Histogram histogram{32, 1};
  std::string positive = "skin";
  // Given priors: either P(positive) alone (the other classes share the rest by their counts), or
  // all classes by name, which must sum to 1. Both empty: n_k / n.
  std::optional<double> positive_prior;
  std::vector<std::pair<std::string, double>> priors;
  ClassCosts class_costs;  // as Model::class_costs
  // Of the kinds that are fitted in iterations (logistic, mixture): called after each, on the
  // thread of Fit; `total` is the most that there may be, and is less where they end early.
  // `pixels` is the sum of those that each went over.
  std::function<void(std::size_t done, std::size_t total, std::uint64_t pixels)> progress = {};
  const std::atomic<bool>* stop = nullptr;  // when set: begin no further iteration
};

// All but `progress` and `stop`, by the names that `train` has for them. Kind and space come before
// the channels.
const OptionTable<FitOptions>& FitTable();

// Fits every class of the table (K >= 2); docs/math.md, 'Estimates'. The same model to the last bit
// for tables that hold the same counts, whatever their groups. Throws Error when there are fewer
// than two classes, no positive class, or a class has too few or degenerate samples (its covariance
// is singular: a channel's part that the other channels do not explain is below 1e-10 of its
// variance); the message names the class and what to do. Throws Error, too, where a stop ended it.
// Cost: one pass over the table (two for Ledoit-Wolf), or one for each iteration.
Model Fit(const Samples& samples, const FitOptions& options);

// Slope and offset that make the model's log-odds most likely on data it was not trained on (Platt
// 1999, without his correction for small data), by Newton's method; an earlier calibration counts
// for nothing. AUC stays as it is. Throws Error where one side has no pixels, or the scores order
// them the wrong way round, or without error. `data` names it.
Calibration FitCalibration(const Samples& samples, Model model, const std::string& data);

// One class-conditional: mean and maximum-likelihood covariance of the features, from the carrier's
// moments (n > 0).
std::pair<FeatureVector, FeatureMatrix> FeatureMoments(const Moments& moments,
                                                       const Features& features);

}  // namespace skinmask
