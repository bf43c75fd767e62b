// A trained model, its file, and how it decides. docs/formats.md describes the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "skinmask/color.h"

namespace skinmask {

// What is assumed of the class covariances; this alone tells the three Gaussian models apart.
enum class Covariance {
  kFull,      // one per class: quadratic discriminant analysis (qda)
  kPooled,    // one for all: linear discriminant analysis (lda)
  kDiagonal,  // channels independent within a class: Gaussian naive Bayes (gaussian-nb)
};

// "qda", "lda", "gaussian-nb"; KindFromName throws Error that lists them.
std::string_view KindName(Covariance covariance);
Covariance KindFromName(std::string_view name);

// Divide by n (maximum likelihood), or by n - 1 (n - K for the pooled covariance).
enum class Estimator { kMaximumLikelihood, kUnbiased };

// A class: prior P(k), and the Gaussian density of the features given the class.
struct GaussianClass {
  std::string name;
  std::uint64_t count = 0;    // training pixels; 0 where unknown
  double prior = 0;           // in (0, 1); all classes' sum to 1
  FeatureVector mean;         // p
  FeatureMatrix covariance;   // p x p, symmetric positive definite
};

// A pixel is skin when P(skin | pixel) > threshold.
struct Decision {
  double threshold = 0.5;      // 0..1
  std::string rule = "fixed";  // how it was chosen: RuleName (decision.h)
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
  Covariance kind = Covariance::kFull;
  Features features;
  Estimator estimator = Estimator::kMaximumLikelihood;
  std::vector<double> shrinkage;        // used for each class, in 0..1
  std::vector<GaussianClass> classes;   // K >= 2, classes[0] is the positive one
  Decision decision;
  Card card;

  const GaussianClass& positive() const { return classes.front(); }
};

// Checks what a file could get wrong: finite numbers, shapes, priors that sum to one, covariances
// that are symmetric positive definite (and diagonal for naive Bayes), densities that are finite for
// every colour, class names that IsClassName takes, 2 to kMaxClasses classes, threshold and shrinkage
// in 0..1. Throws Error(subject, ...).
void Validate(const Model& model, std::string_view subject);

// The same model with P(positive) = prior and the other priors in their old proportion. All log-odds
// shift by logit(prior) - logit(old prior). Throws Error unless 0 < prior < 1.
Model WithPrior(Model model, double prior);

// JSON text; doubles read back bit for bit. FromJson throws Error(subject, where and why).
std::string ModelToJson(const Model& model);
Model ModelFromJson(std::string_view json, std::string_view subject);
Model ReadModel(const std::filesystem::path& path);

// models/default.json, compiled in.
std::string_view DefaultModelJson();
Model DefaultModel();

}  // namespace skinmask
