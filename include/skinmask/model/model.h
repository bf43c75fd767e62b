// A Model is the result of training: its parameters and its decision. docs/formats.md describes its
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

// The kinds of models of P(k | features) (docs/math.md, 'Models').
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
inline constexpr std::pair<Estimator, std::string_view> kEstimatorNames[] = {
    {Estimator::kMaximumLikelihood, "mle"}, {Estimator::kUnbiased, "unbiased"}};
std::string_view EstimatorName(Estimator estimator);
Estimator EstimatorFromName(std::string_view name);  // throws Error that lists them

struct Gaussian {
  double weight = 1;         // in (0, 1]; all components' of a class sum to 1
  FeatureVector mean;        // p
  FeatureMatrix covariance;  // p x p, symmetric positive definite
};

// The pixels of a bin. `bin` is an index in which the first feature varies slowest; for
// histogram-nb, it counts the bins of one channel after another.
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

// A class: its prior P(k), and the parameters of its kind for the features given the class.
struct ClassModel {
  std::string name;
  std::uint64_t count = 0;  // training pixels; 0 where unknown
  double prior = 0;         // in (0, 1); all classes' sum to 1
  FeatureVector mean;       // of Gaussian kinds, as in Gaussian
  FeatureMatrix covariance;
  std::vector<Gaussian> components;  // of mixtures
  std::vector<BinCount> bins;        // of histograms: those with pixels, ascending
  FeatureTerms terms;                // of logistic models of more than two classes

  // The components of a mixture, or the one Gaussian.
  std::vector<Gaussian> gaussians() const;
};

// Of two classes: z = log(prior of the positive class / the other's) + these terms. (At the
// training data's priors, that is logistic regression with an intercept of `constant` + log(n_+ /
// n_-).) With more classes, the discriminant of each class is its log prior + its own terms, whose
// sums over the classes are 0 except for the constants; the terms here are then empty.
struct LogisticTerms : FeatureTerms {
  double ridge = 0;    // the penalty it was fitted with
  std::string solver;  // newton, gradient or sgd
  int iterations = 0;
  double log_likelihood = 0;  // of the training data, without the penalty
};

// `bins` bins of equal width per channel over its range, and the pixels that each bin has in
// advance (Laplace smoothing):  P(bin | k) = (count + smoothing) / (n_k + smoothing * number of
// bins).
struct Histogram {
  // With less smoothing the probability of an empty bin could not be represented.
  static constexpr double kMinSmoothing = 1e-12, kMaxSmoothing = 1e12;
  static constexpr int kMaxBins = 1 << 26;  // of all classes together: half a gigabyte in memory
  int bins = 0;                             // per channel
  double smoothing = 1;                     // kMinSmoothing to kMaxSmoothing
};

// Platt's calibration: the calibrated log-odds are slope * z + offset.
struct Calibration {
  double slope = 1;   // more than 0, at most 1e6
  double offset = 0;  // -1e30..1e30
  std::string data;   // what it was fitted on; empty for none
  // P(positive) of these data, for which P(positive | x) is calibrated; 0: the model's own prior.
  double prior = 0;
  bool identity() const { return slope == 1 && offset == 0; }
};

// One side of a calibration curve: the calibrated distance from the threshold as a function of the
// distance |z|. It is `jump` plus consecutive lines, each from a |z| on.
struct CalibrationSide {
  static constexpr double kMax = 1e3;  // slopes are 1 / kMax to kMax, all else 0 to kMax
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
  double Inverse(double calibrated) const;   // 0 below the jump
  bool operator==(const CalibrationSide&) const = default;
};

// A monotone map of log-odds that keeps each on its side of 0; 0 itself is on the lower side.
struct CalibrationCurve {
  CalibrationSide below, above;

  double operator()(double z) const { return z > 0 ? above(z) : -below(-z); }
  double Inverse(double calibrated) const {
    return calibrated > 0 ? above.Inverse(calibrated) : -below.Inverse(-calibrated);
  }
  bool identity() const { return *this == CalibrationCurve(); }
  bool operator==(const CalibrationCurve&) const = default;
};

// The calibration of adapted log-odds, less those of the model's own threshold: for images with
// seeds, for images that are divided by their own colours, and for images with neither. No pixel
// changes its side of the threshold, so masks at the threshold do not change (docs/adaptation.md,
// 'Calibration').
struct AdaptedCalibration {
  CalibrationCurve faces, image, neither;
  std::string data;  // what it was fitted on; empty for none
  bool identity() const { return faces.identity() && image.identity() && neither.identity(); }
};

// The costs of calling a pixel of one class another: K x K numbers by rows, [truth * K + called],
// in the order of Model::classes, 0 on the diagonal, else 0 to kMaxClassCost. Empty: 1 for every
// error, so that the class of the greatest posterior is called.
using ClassCosts = std::vector<double>;
inline constexpr double kMaxClassCost = 1e6;
// "0,1,5:1,0,5:1,1,0": a row for each true class; "" for empty costs. ClassCostsFrom throws Error
// for any text that is not such a square table of two or more classes.
std::string TextOfClassCosts(const ClassCosts& costs);
ClassCosts ClassCostsFrom(const std::string& text);

// A pixel is skin when P(skin | pixel) > threshold.
struct Decision {
  double threshold = 0.5;      // 0..1
  std::string rule = "fixed";  // how it was chosen: RuleName (learn/decision.h)
  std::string data;            // the data it was chosen on; empty for fixed
};

// A score on named data, pooled over pixels. Ratios are absent if they are 0/0.
struct CardScore {
  std::string data;
  double threshold = 0;
  std::optional<double> precision, recall, f1, auc;
  // The sum over all pixels of log P(class | colour); for training samples only.
  std::optional<double> log_likelihood = std::nullopt;
};

// The model card, from which others can judge the model. `sha256` is that of the training table's
// canonical text (FormatSamples without groups), so it does not depend on file names, order or
// shards.
struct Card {
  std::string sha256;
  std::vector<std::pair<std::string, std::string>> notes;  // name, source, licence ..., as given
  std::vector<CardScore> scores;
};

struct Model {
  Kind kind = Kind::kQda;
  Features features;
  Estimator estimator = Estimator::kMaximumLikelihood;
  std::vector<double> shrinkage;  // of Gaussian kinds, for each class, 0..1
  LogisticTerms logistic;
  Histogram histogram;
  std::vector<ClassModel> classes;  // K >= 2, classes[0] is the positive one
  Calibration calibration;
  AdaptedCalibration adapted_calibration;
  Decision decision;
  ClassCosts class_costs;  // for calling one of K classes; masks ignore them
  Card card;
  bool converged = true;  // whether the fit ended before its limit; not in the file

  // Throws Error if there are no classes.
  const ClassModel& positive() const {
    if (classes.empty()) throw Error("model", "has no classes (2 or more)");
    return classes.front();
  }
  // The prior P(positive) of the model's log-odds: that of the data of its calibration, or its own.
  double PriorOfLogOdds() const {
    return calibration.prior > 0 ? calibration.prior : positive().prior;
  }
};

// Checks everything that a file could have wrong: finite numbers, shapes, priors that sum to one,
// covariances that are symmetric positive definite (and diagonal for naive Bayes), densities that
// are finite for every colour, class names (IsClassName), 2 to kMaxClasses classes, threshold and
// shrinkage in 0..1, costs that are K x K. Throws Error(subject, ...).
void Validate(const Model& model, std::string_view subject);

// The same model with P(positive) = prior and the other priors in their old proportions. All
// log-odds shift by logit(prior) - logit(old prior). For calibrated log-odds, the old prior is that
// of the calibration. The card's scores are left out, because they were those of the old model.
// Throws Error unless 0 < prior < 1 in double, for the other classes together, too.
Model WithPrior(Model model, double prior);

// The same model with these costs for calling classes. Throws Error if they do not fit its classes.
Model WithClassCosts(Model model, const ClassCosts& costs);

// JSON text; doubles read back bit for bit. FromJson throws Error(subject, where and why).
std::string ModelToJson(const Model& model);
Model ModelFromJson(std::string_view json, std::string_view subject);
Model ReadModel(const std::filesystem::path& path);
// The largest file that ReadModel takes. Histograms with the greatest number of bins
// (Histogram::kMaxBins) and some hundred pixels in each have 12 to 16 bytes per bin.
inline constexpr std::uint64_t kMaxModelBytes = std::uint64_t{1} << 30;

// models/default.json, compiled in.
std::string_view DefaultModelJson();
Model DefaultModel();

}  // namespace skinmask
