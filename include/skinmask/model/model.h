// A Model is what training gives: its parameters, and how it decides. docs/formats.md describes its
// file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "skinmask/data/color.h"

namespace [[gnu::visibility("default")]] skinmask {

// How P(k | features) comes about (docs/math.md, 'Models').
enum class Kind {
  kQda,          // a Gaussian per class, each with its own covariance
  kLda,          // one covariance for all
  kGaussianNb,   // channels independent within a class
  kMixture,      // several Gaussians per class
  kLogistic,     // log-odds that are a polynomial of the features; two classes
  kHistogramNb,  // a histogram per class and channel, channels independent within a class
  kHistogram,    // a histogram of whole colours per class
};

// "qda", "lda", "gaussian-nb", "mixture", "logistic", "histogram-nb", "histogram"; KindFromName
// throws Error that lists them.
std::string_view KindName(Kind kind);
Kind KindFromName(std::string_view name);
std::vector<std::string_view> KindNames();
// The first three: one Gaussian per class.
bool IsGaussian(Kind kind);
bool IsHistogram(Kind kind);

// Divide by n (maximum likelihood), or by n - 1 (n - K for the pooled covariance).
enum class Estimator { kMaximumLikelihood, kUnbiased };
// "mle", "unbiased"; EstimatorFromName throws Error that lists them.
std::string_view EstimatorName(Estimator estimator);
Estimator EstimatorFromName(std::string_view name);
std::vector<std::string_view> EstimatorNames();

struct Gaussian {
  double weight = 1;         // in (0, 1]; all components' of a class sum to 1
  FeatureVector mean;        // p
  FeatureMatrix covariance;  // p x p, symmetric positive definite
};

// Pixels of a bin: `bin` counts bins of the first feature slowest, of one channel after another for
// histogram-nb.
struct BinCount {
  std::uint32_t bin = 0;
  std::uint64_t count = 0;
};

// A class: prior P(k), and what its kind knows of the features given the class.
struct ClassModel {
  std::string name;
  std::uint64_t count = 0;  // training pixels; 0 where unknown
  double prior = 0;         // in (0, 1); all classes' sum to 1
  FeatureVector mean;       // of Gaussian kinds, as Gaussian's
  FeatureMatrix covariance;
  std::vector<Gaussian> components;  // of mixtures
  std::vector<BinCount> bins;        // of histograms: those with pixels, ascending

  // The components, or the one Gaussian.
  std::vector<Gaussian> gaussians() const;
};

// z = log(prior of the positive class / the other's) + constant + linear'f + sum of product_ij f_i
// f_j, i <= j. (At the training data's priors, that is logistic regression with an intercept of
// `constant` + log(n_+ / n_-).)
struct LogisticTerms {
  double constant = 0;
  FeatureVector linear;         // p
  std::vector<double> product;  // 00 01 .. 0p 11 .. pp, or none
  double ridge = 0;             // the penalty it was fitted with
  std::string solver;           // newton, gradient or sgd
  int iterations = 0;
  bool converged = true;      // of a fit: it ended before its limit; not in the file
  double log_likelihood = 0;  // of the training data, without the penalty
};

// B bins of equal width per channel over its range, and what each bin has before any pixel
// (Laplace smoothing):  P(bin | k) = (count + smoothing) / (n_k + smoothing * bins).
struct Histogram {
  static constexpr double kMaxSmoothing = 1e12;
  static constexpr int kMaxBins = 1 << 26;  // of all classes together: half a gigabyte in memory
  int bins = 0;                             // per channel
  double smoothing = 1;                     // more than 0, at most kMaxSmoothing
};

// Platt's: the log-odds that count are slope * z + offset.
struct Calibration {
  double slope = 1;   // more than 0, at most 1e6
  double offset = 0;  // -1e30..1e30
  std::string data;   // what it was fitted on; empty for none
  bool identity() const { return slope == 1 && offset == 0; }
};

// A monotone map of log-odds that keeps 0 where it is: z * below where z < 0, z * above elsewhere.
struct CalibrationScales {
  static constexpr double kMax = 1e3;
  double below = 1, above = 1;  // 1 / kMax .. kMax

  double operator()(double z) const { return z * (z < 0 ? below : above); }
  double Inverse(double z) const { return z / (z < 0 ? below : above); }
  bool identity() const { return below == 1 && above == 1; }
  bool operator==(const CalibrationScales&) const = default;
};

// What adaptation's log-odds, less those of the model's own threshold, go through before they are
// told: of images with seeds, and of those that are divided by their own colours. The threshold
// stays, and with it the masks at it (docs/adaptation.md, 'Calibration').
struct AdaptedCalibration {
  CalibrationScales faces, image;
  std::string data;  // what it was fitted on; empty for none
  bool identity() const { return faces.identity() && image.identity(); }
};

// A pixel is skin when P(skin | pixel) > threshold.
struct Decision {
  double threshold = 0.5;      // 0..1
  std::string rule = "fixed";  // how it was chosen: RuleName (learn/decision.h)
  std::string data;            // on what, empty for fixed
};

// A score on named data. Pooled over pixels; absent where it is 0/0.
struct CardScore {
  std::string data;
  double threshold = 0;
  std::optional<double> precision, recall, f1, auc;
};

// What a stranger needs to judge the model. `sha256` is that of the training table's canonical text
// (FormatSamples without groups), so that it does not depend on file names, order or shards.
struct Card {
  std::string sha256;
  std::vector<std::pair<std::string, std::string>> notes;  // name, source, licence ..., as given
  std::vector<CardScore> scores;
};

struct Model {
  Kind kind = Kind::kQda;
  Features features;
  Estimator estimator = Estimator::kMaximumLikelihood;
  std::vector<double> shrinkage;  // of Gaussian kinds, used for each class, in 0..1
  LogisticTerms logistic;
  Histogram histogram;
  std::vector<ClassModel> classes;  // K >= 2, classes[0] is the positive one
  Calibration calibration;
  AdaptedCalibration adapted_calibration;
  Decision decision;
  Card card;

  const ClassModel& positive() const { return classes.front(); }
};

// Checks what a file could get wrong: finite numbers, shapes, priors that sum to one, covariances
// that are symmetric positive definite (and diagonal for naive Bayes), densities that are finite
// for every colour, class names that IsClassName takes, 2 to kMaxClasses classes, threshold and
// shrinkage in 0..1. Throws Error(subject, ...).
void Validate(const Model& model, std::string_view subject);

// The same model with P(positive) = prior and the other priors in their old proportion. All
// log-odds, calibrated ones too, shift by logit(prior) - logit(old prior). Throws Error unless 0 <
// prior < 1.
Model WithPrior(Model model, double prior);

// JSON text; doubles read back bit for bit. FromJson throws Error(subject, where and why).
std::string ModelToJson(const Model& model);
Model ModelFromJson(std::string_view json, std::string_view subject);
Model ReadModel(const std::filesystem::path& path);
// What ReadModel takes. Histograms of as many bins as there may be (Histogram::kMaxBins), each of
// some hundred pixels, have 12 to 16 bytes for each.
inline constexpr std::uint64_t kMaxModelBytes = std::uint64_t{1} << 30;

// models/default.json, compiled in.
std::string_view DefaultModelJson();
Model DefaultModel();

}  // namespace skinmask
