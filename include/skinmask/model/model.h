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

#include "skinmask/base/error.h"
#include "skinmask/data/color.h"

namespace [[gnu::visibility("default")]] skinmask {

// How P(k | features) comes about (docs/math.md, 'Models').
enum class Kind {
  kQda,          // a Gaussian per class, each with its own covariance
  kLda,          // one covariance for all
  kGaussianNb,   // channels independent within a class
  kMixture,      // several Gaussians per class
  kLogistic,     // log-odds that are polynomials of the features
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

// A polynomial of the features f:  constant + linear'f + sum of product_ij f_i f_j, i <= j.
struct FeatureTerms {
  double constant = 0;
  FeatureVector linear;         // p
  std::vector<double> product;  // 00 01 .. 0p 11 .. pp, or none
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
  FeatureTerms terms;                // of logistic models of more than two classes

  // The components, or the one Gaussian.
  std::vector<Gaussian> gaussians() const;
};

// Of two classes z = log(prior of the positive class / the other's) + these terms. (At the training
// data's priors, that is logistic regression with an intercept of `constant` + log(n_+ / n_-).) Of
// more, the discriminant of each class is its log prior + its own terms, which sum to 0 over the
// classes but for the constants, and there are none here.
struct LogisticTerms : FeatureTerms {
  double ridge = 0;    // the penalty it was fitted with
  std::string solver;  // newton, gradient or sgd
  int iterations = 0;
  double log_likelihood = 0;  // of the training data, without the penalty
};

// B bins of equal width per channel over its range, and what each bin has before any pixel
// (Laplace smoothing):  P(bin | k) = (count + smoothing) / (n_k + smoothing * bins).
struct Histogram {
  // Of less, what a bin without pixels has would be no number that a probability is made of.
  static constexpr double kMinSmoothing = 1e-12, kMaxSmoothing = 1e12;
  static constexpr int kMaxBins = 1 << 26;  // of all classes together: half a gigabyte in memory
  int bins = 0;                             // per channel
  double smoothing = 1;                     // kMinSmoothing to kMaxSmoothing
};

// Platt's: the log-odds that count are slope * z + offset.
struct Calibration {
  double slope = 1;   // more than 0, at most 1e6
  double offset = 0;  // -1e30..1e30
  std::string data;   // what it was fitted on; empty for none
  // P(positive) of these data, which P(positive | x) is right for; 0: the model's own prior.
  double prior = 0;
  bool identity() const { return slope == 1 && offset == 0; }
};

// How far from the threshold what is told lies, by how far z does: `jump`, and from there on lines
// one after the other, each from a |z| on.
struct CalibrationSide {
  static constexpr double kMax = 1e3;  // of slopes, which are 1 / kMax at least, and of the rest
  static constexpr std::size_t kMaxLines = 4;
  struct Line {
    double from, slope;
    bool operator==(const Line&) const = default;
  };
  double jump = 0;
  std::vector<Line> lines{{0, 1}};  // ascending, the first from 0

  CalibrationSide() = default;
  CalibrationSide(double slope) : lines{{0, slope}} {}  // NOLINT: a slope is a side
  CalibrationSide(double its_jump, std::vector<Line> its_lines)
      : jump(its_jump), lines(std::move(its_lines)) {}
  double operator()(double distance) const;  // 0 or more
  double Inverse(double told) const;         // 0 for what is below the jump
  bool operator==(const CalibrationSide&) const = default;
};

// A monotone map of log-odds that keeps each on its side of 0; 0 itself is below.
struct CalibrationCurve {
  CalibrationSide below, above;

  double operator()(double z) const { return z > 0 ? above(z) : -below(-z); }
  double Inverse(double told) const {
    return told > 0 ? above.Inverse(told) : -below.Inverse(-told);
  }
  bool identity() const { return *this == CalibrationCurve(); }
  bool operator==(const CalibrationCurve&) const = default;
};

// What adaptation's log-odds, less those of the model's own threshold, go through before they are
// told: of images with seeds, of those that are divided by their own colours, and of those with
// neither. No pixel changes its side of the threshold, so masks at it stay (docs/adaptation.md,
// 'Calibration').
struct AdaptedCalibration {
  CalibrationCurve faces, image, neither;
  std::string data;  // what it was fitted on; empty for none
  bool identity() const { return faces.identity() && image.identity() && neither.identity(); }
};

// What it costs to call a pixel of one class another: K x K numbers by rows, [truth * K + called],
// in the order of Model::classes, 0 on the diagonal, else from 0 to kMaxClassCost. Empty: 1 for
// every error, so that the greatest posterior is called.
using ClassCosts = std::vector<double>;
inline constexpr double kMaxClassCost = 1e6;
// "0,1,5:1,0,5:1,1,0": a row for each true class; empty for none. ClassCostsFrom throws Error for
// what is no such square table of two classes or more.
std::string TextOfClassCosts(const ClassCosts& costs);
ClassCosts ClassCostsFrom(const std::string& text);

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
  // Of all pixels, log P(class | colour) as the model says it; of training samples alone.
  std::optional<double> log_likelihood = std::nullopt;
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
  ClassCosts class_costs;  // of calling one of K classes; masks are by `decision` alone
  Card card;
  bool converged = true;  // of a fit: no limit of its iterations ended it; not in the file

  // Throws Error where there are no classes.
  const ClassModel& positive() const {
    if (classes.empty()) throw Error("model", "has no classes (2 or more)");
    return classes.front();
  }
};

// Checks what a file could get wrong: finite numbers, shapes, priors that sum to one, covariances
// that are symmetric positive definite (and diagonal for naive Bayes), densities that are finite
// for every colour, class names that IsClassName takes, 2 to kMaxClasses classes, threshold and
// shrinkage in 0..1, costs that are K x K. Throws Error(subject, ...).
void Validate(const Model& model, std::string_view subject);

// The same model with P(positive) = prior and the other priors in their old proportion. All
// log-odds, calibrated ones too, shift by logit(prior) - logit(old prior), the old prior of
// calibrated ones being that of their calibration. Throws Error unless 0 < prior < 1.
Model WithPrior(Model model, double prior);

// The same model that calls classes at these costs. Throws Error unless they are of its classes.
Model WithClassCosts(Model model, const ClassCosts& costs);

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
