// Training: makes a model from exact moments, or from the table of samples itself.
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

// Shrinkage of covariances towards their diagonal: (1 - s) S + s diag(S). Without `s`, the choice
// of Ledoit and Wolf (2004) on standardised features, per class.
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
  double ridge = 0;            // lambda of the penalty lambda / 2 |w|^2 of the mean log-likelihood
  std::optional<double> step;  // default: gradient 1, sgd 0.1; newton has none
  std::optional<int> iterations;  // limit; default: newton 50, gradient 10000, sgd 50 passes
  double tolerance = 1e-9;        // stop below this relative change of the log-likelihood
};

// "linear", "squares", "quadratic"; TermsFromName throws Error that lists them.
std::string_view TermsName(LogisticOptions::Terms terms);
LogisticOptions::Terms TermsFromName(std::string_view name);
// "newton", "gradient", "sgd".
std::string_view SolverName(LogisticOptions::Solver solver);

// Gaussian mixtures by expectation-maximisation, started by k-means++ with a fixed seed. Components
// that the data do not need lose their pixels, and are left out.
struct MixtureOptions {
  int components = 4;  // of every class that is not in of_class
  std::vector<std::pair<std::string, int>> of_class;
  // The number for this class. A fit keeps fewer if some are left without pixels.
  int Of(const std::string& name) const;
  int iterations = 1000;
  double tolerance = 1e-7;  // stop below this change of the mean log-posterior
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
  // Given priors: either P(positive) alone (the other classes share the rest by their counts), or a
  // prior for every class by name, which must sum to 1. If both are empty, n_k / n.
  std::optional<double> positive_prior;
  std::vector<std::pair<std::string, double>> priors;
  ClassCosts class_costs;  // as Model::class_costs
  // For kinds that are fitted in iterations (logistic, mixture): called after each, on the thread
  // of Fit. `total` is an upper bound of the number of iterations, and decreases if a loop ends
  // early. `pixels` is the number of pixels that all iterations together went over.
  std::function<void(std::size_t done, std::size_t total, std::uint64_t pixels)> progress = {};
  const std::atomic<bool>* stop = nullptr;  // when set: start no further iteration
};

// All options but `progress` and `stop`, by their names in `train`. Kind and space come before the
// channels.
const OptionTable<FitOptions>& FitTable();

// Fits every class of the table (K >= 2); docs/math.md, 'Estimates'. Tables with the same counts
// give the same model to the last bit, whatever their groups. Throws Error if there are fewer than
// two classes, if there is no positive class, or if a class has too few or degenerate samples (a
// singular covariance: the part of a channel that the other channels do not explain is below 1e-10
// of its variance); the message names the class and the remedy. Throws Error after a stop, too.
// Cost: one pass over the table (two for Ledoit-Wolf), or one for each iteration.
Model Fit(const Samples& samples, const FitOptions& options);

// The slope and offset that make the model's log-odds most likely on data that it was not trained
// on (Platt 1999, without his correction for small data), by Newton's method. An earlier
// calibration is ignored. The AUC does not change. Throws Error if one side has no pixels, if
// higher scores are less often positive, or if the scores separate the sides without error. `data`
// is the name of the data.
Calibration FitCalibration(const Samples& samples, Model model, const std::string& data);

// The mean and maximum-likelihood covariance of a class's features, from its moments of the carrier
// (n > 0).
std::pair<FeatureVector, FeatureMatrix> FeatureMoments(const Moments& moments,
                                                       const Features& features);

}  // namespace skinmask
