// Training: from exact moments to a model.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "skinmask/model.h"
#include "skinmask/moments.h"
#include "skinmask/samples.h"

namespace skinmask {

// How far covariances are drawn towards their own diagonal: (1 - s) S + s diag(S). `s` absent means
// the choice of Ledoit and Wolf (2004) on standardised features, per class.
struct Shrinkage {
  std::optional<double> s = 0;  // 0..1
};

struct FitOptions {
  Covariance kind = Covariance::kFull;
  Features features;
  Estimator estimator = Estimator::kMaximumLikelihood;
  Shrinkage shrinkage;
  std::string positive = "skin";
  // Given priors: either P(positive) alone (the other classes share the rest by their counts), or
  // all classes by name, which must sum to 1. Both empty: n_k / n.
  std::optional<double> positive_prior;
  std::vector<std::pair<std::string, double>> priors;
};

// Fits every class of the table (K >= 2); docs/math.md, 'Estimates'. The same model to the last bit
// for tables that hold the same counts, whatever their groups. Throws Error when there are fewer than
// two classes, no positive class, or a class has too few or degenerate samples (its covariance is
// singular: a channel's part that the other channels do not explain is below 1e-10 of its variance);
// the message names the class and what to do. Cost: one pass over the table (two for Ledoit-Wolf).
Model Fit(const Samples& samples, const FitOptions& options);

// One class-conditional: mean and maximum-likelihood covariance of the features, from the carrier's
// moments (n > 0).
std::pair<FeatureVector, FeatureMatrix> FeatureMoments(const Moments& moments,
                                                       const Features& features);

}  // namespace skinmask
