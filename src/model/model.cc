#include "skinmask/model/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <set>

#include "base/json.h"
#include "base/nearest.h"
#include "model/class_costs.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/data/samples.h"
#include "skinmask/model/mixture.h"

namespace skinmask {
namespace {

constexpr std::pair<Kind, std::string_view> kKinds[] = {
    {Kind::kQda, "qda"},
    {Kind::kLda, "lda"},
    {Kind::kGaussianNb, "gaussian-nb"},
    {Kind::kMixture, "mixture"},
    {Kind::kLogistic, "logistic"},
    {Kind::kHistogramNb, "histogram-nb"},
    {Kind::kHistogram, "histogram"},
};

constexpr std::pair<Estimator, std::string_view> kEstimators[] = {
    {Estimator::kMaximumLikelihood, "mle"}, {Estimator::kUnbiased, "unbiased"}};

void Require(bool good, std::string_view subject, const std::string& problem) {
  if (!good) throw Error(subject, problem);
}

// The quadratic form is convex, so it is largest at a corner of the carriers' cube.
void RequireFiniteDensity(const Gaussian& gaussian, const Eigen::LLT<FeatureMatrix>& cholesky,
                          const Features& features, std::string_view subject,
                          const std::string& where) {
  constexpr double kLargest = 1e30;  // far from what single precision can hold
  const double side =
      features.space().carrier == ColorSpace::Carrier::kChromaticity ? 1 << 20 : 255;
  for (int corner = 0; corner < 8; ++corner) {
    const Eigen::Vector3d carrier(corner & 1 ? side : 0, corner & 2 ? side : 0,
                                  corner & 4 ? side : 0);
    const FeatureVector d = features.Matrix() * carrier + features.Offset() - gaussian.mean;
    Require(d.dot(cholesky.solve(d)) < kLargest, subject,
            where + "its density overflows (mean, covariance)");
  }
}

void ValidateGaussian(const Gaussian& gaussian, const Features& features, std::string_view subject,
                      const std::string& where) {
  const int size = features.size();
  const FeatureMatrix& covariance = gaussian.covariance;
  Require(gaussian.weight > 0 && gaussian.weight <= 1, subject,
          where + fmt::format("weight {} is not between 0 and 1", gaussian.weight));
  Require(gaussian.mean.size() == size, subject,
          where + fmt::format("mean needs {} numbers", size));
  Require(gaussian.mean.allFinite(), subject, where + "mean has a number that is not finite");
  Require(covariance.rows() == size && covariance.cols() == size, subject,
          where + fmt::format("covariance needs {0} x {0} numbers", size));
  Require(covariance.allFinite(), subject, where + "covariance has a number that is not finite");
  Require(covariance == covariance.transpose(), subject, where + "covariance is not symmetric");
  const Eigen::LLT<FeatureMatrix> cholesky(covariance);
  Require(cholesky.info() == Eigen::Success && FeatureMatrix(cholesky.matrixL()).allFinite(),
          subject, where + "covariance is not positive definite");
  RequireFiniteDensity(gaussian, cholesky, features, subject, where);
}

void ValidateGaussians(const ClassModel& c, const Model& model, std::string_view subject,
                       const std::string& where) {
  double weights = 0;
  const std::size_t count = c.gaussians().size();
  Require(count > 0 && count <= CompiledMixture::kMaxComponents, subject,
          where + fmt::format("{} components (1 to {})", count, CompiledMixture::kMaxComponents));
  for (const Gaussian& gaussian : c.gaussians()) {
    ValidateGaussian(gaussian, model.features, subject, where);
    weights += gaussian.weight;
  }
  Require(std::abs(weights - 1) < 1e-9, subject,
          where + fmt::format("weights sum to {}, not to 1", weights));
  Require(model.kind != Kind::kGaussianNb || c.covariance.isDiagonal(0), subject,
          where + "covariance is not diagonal, as gaussian-nb has it");
}

// Bins in order, none twice; every channel's (or the whole histogram's) sum is the class's count.
void ValidateBins(const ClassModel& c, const Model& model, std::string_view subject,
                  const std::string& where) {
  const auto channels = static_cast<std::uint64_t>(model.features.size());
  const auto bins = static_cast<std::uint64_t>(model.histogram.bins);
  const bool naive = model.kind == Kind::kHistogramNb;
  std::uint64_t bin_count = naive ? bins * channels : 1, sum = 0;
  for (std::uint64_t i = 0; !naive && i < channels; ++i) bin_count *= bins;
  for (std::size_t i = 0; i < c.bins.size(); ++i) {
    Require(c.bins[i].bin < bin_count && (i == 0 || c.bins[i - 1].bin < c.bins[i].bin), subject,
            where + fmt::format("bins are not ascending and below {}", bin_count));
    sum += c.bins[i].count;
  }
  Require(c.count > 0 && sum == c.count * (naive ? channels : 1), subject,
          where + fmt::format("bins hold {} pixels, count says {}", sum, c.count));
}

void ValidateHistogram(const Model& model, std::string_view subject) {
  const auto [bins, smoothing] = model.histogram;
  Require(bins >= 2 && bins <= 256, subject, fmt::format("{} bins (2 to 256)", bins));
  Require(smoothing > 0 && smoothing <= Histogram::kMaxSmoothing, subject,
          fmt::format("smoothing {} is not more than 0 and at most {:g}", smoothing,
                      Histogram::kMaxSmoothing));
  // Each is a double in memory, though the file need not name it.
  double all = static_cast<double>(model.classes.size());
  for (int i = 0; i < (model.kind == Kind::kHistogram ? model.features.size() : 1); ++i)
    all *= bins;
  Require(all <= Histogram::kMaxBins, subject,
          fmt::format("{:.0f} bins of all classes (at most {})", all, Histogram::kMaxBins));
}

// Log-odds are below 10^31 (RequireFiniteDensity, ValidateLogistic), so that slope times them stays
// a float.
void ValidateCalibration(const Calibration& calibration, std::string_view subject) {
  constexpr double kMaxSlope = 1e6, kMaxOffset = 1e30;
  Require(calibration.slope > 0 && calibration.slope <= kMaxSlope, subject,
          fmt::format("calibration's slope {} is not more than 0 and at most {:g}",
                      calibration.slope, kMaxSlope));
  Require(
      std::abs(calibration.offset) <= kMaxOffset, subject,
      fmt::format("calibration's offset {} is not within {:g}", calibration.offset, kMaxOffset));
}

void ValidateSide(const CalibrationSide& side, std::string_view subject) {
  constexpr double kMax = CalibrationSide::kMax;
  Require(side.jump >= 0 && side.jump <= kMax, subject,
          fmt::format("adapted calibration's jump {} is not within 0..{:g}", side.jump, kMax));
  Require(!side.lines.empty() && side.lines.size() <= CalibrationSide::kMaxLines, subject,
          fmt::format("adapted calibration has {} lines on a side (1 to {})", side.lines.size(),
                      CalibrationSide::kMaxLines));
  for (const auto& [from, slope] : side.lines)
    Require(slope >= 1 / kMax && slope <= kMax, subject,
            fmt::format("adapted calibration's slope {} is not within {:g}..{:g}", slope, 1 / kMax,
                        kMax));
  for (std::size_t k = 0; k < side.lines.size(); ++k) {
    const double from = side.lines[k].from;
    Require(k == 0 ? from == 0 : from > side.lines[k - 1].from && from <= kMax, subject,
            fmt::format("adapted calibration's lines do not begin at 0 and then ascend to at most "
                        "{:g}",
                        kMax));
  }
}

// Features are below 2^10, so that no term overflows a float.
void ValidateTerms(const FeatureTerms& terms, const Model& model, std::string_view subject) {
  const auto size = static_cast<std::size_t>(model.features.size());
  Require(terms.linear.size() == model.features.size(), subject,
          fmt::format("linear needs {} numbers", size));
  Require(terms.product.empty() || terms.product.size() == size * (size + 1) / 2, subject,
          fmt::format("product needs {} numbers, or none", size * (size + 1) / 2));
  const double largest = 1e24;
  bool bounded = std::abs(terms.constant) <= largest;
  for (const double a : terms.linear) bounded &= std::abs(a) <= largest;
  for (const double a : terms.product) bounded &= std::abs(a) <= largest;
  Require(bounded, subject, fmt::format("coefficients must be finite, and at most {:g}", largest));
}

void ValidateLogistic(const Model& model, std::string_view subject) {
  const LogisticTerms& terms = model.logistic;
  if (model.classes.size() == 2)
    ValidateTerms(terms, model, subject);
  else
    for (const ClassModel& c : model.classes)
      ValidateTerms(c.terms, model, fmt::format("{}: class '{}'", subject, c.name));
  Require(std::isfinite(terms.log_likelihood) && terms.ridge >= 0 && std::isfinite(terms.ridge),
          subject, "log-likelihood and ridge must be finite, the ridge not below 0");
}

void ValidateClass(const ClassModel& c, const Model& model, std::string_view subject) {
  Require(IsClassName(c.name), subject, fmt::format("'{}' is no name for a class", c.name));
  const std::string where = fmt::format("class '{}': ", c.name);
  Require(std::isfinite(c.prior) && c.prior > 0 && c.prior < 1, subject,
          where + fmt::format("prior {} is not between 0 and 1", c.prior));
  if (IsHistogram(model.kind))
    ValidateBins(c, model, subject, where);
  else if (model.kind != Kind::kLogistic)
    ValidateGaussians(c, model, subject, where);
}

}  // namespace

std::string_view KindName(Kind wanted) { return NameIn(kKinds, wanted); }

std::vector<std::string_view> KindNames() { return NamesIn(kKinds); }

bool IsGaussian(Kind kind) {
  return kind == Kind::kQda || kind == Kind::kLda || kind == Kind::kGaussianNb;
}

bool IsHistogram(Kind kind) { return kind == Kind::kHistogramNb || kind == Kind::kHistogram; }

std::vector<Gaussian> ClassModel::gaussians() const {
  if (!components.empty()) return components;
  if (mean.size() == 0) return {};
  return {{1, mean, covariance}};
}

Kind KindFromName(std::string_view name) { return FromNameIn(kKinds, "model kind", name); }

std::string_view EstimatorName(Estimator wanted) { return NameIn(kEstimators, wanted); }

Estimator EstimatorFromName(std::string_view name) {
  return FromNameIn(kEstimators, "covariance", name);
}

std::vector<std::string_view> EstimatorNames() { return NamesIn(kEstimators); }

void Validate(const Model& model, std::string_view subject) {
  Require(model.classes.size() >= 2 && model.classes.size() <= kMaxClasses, subject,
          fmt::format("{} classes (2 to {})", model.classes.size(), kMaxClasses));
  for (double s : model.shrinkage)
    Require(s >= 0 && s <= 1, subject, fmt::format("shrinkage {} is not between 0 and 1", s));
  if (model.kind == Kind::kLogistic) ValidateLogistic(model, subject);
  if (IsHistogram(model.kind)) ValidateHistogram(model, subject);
  ValidateCalibration(model.calibration, subject);
  const AdaptedCalibration& adapted = model.adapted_calibration;
  for (const CalibrationCurve* curve : {&adapted.faces, &adapted.image, &adapted.neither}) {
    ValidateSide(curve->below, subject);
    ValidateSide(curve->above, subject);
  }
  // Those of which a file is read again.
  Require(model.card.notes.size() <= kMaxMembers, subject,
          fmt::format("{} notes (at most {})", model.card.notes.size(), kMaxMembers));
  std::set<std::string> names;
  double priors = 0;
  std::size_t components = 0;
  for (const ClassModel& c : model.classes) {
    Require(names.insert(c.name).second, subject, fmt::format("class '{}' stands twice", c.name));
    ValidateClass(c, model, subject);
    priors += c.prior;
    components += c.components.size();
  }
  // Of more, a picture of many colours would take minutes.
  constexpr std::size_t kMaxComponents = 512;
  Require(components <= kMaxComponents, subject,
          fmt::format("{} components of all classes (at most {})", components, kMaxComponents));
  // Priors are ratios of integers or typed decimals; their sum is off by a few roundings at most.
  Require(std::abs(priors - 1) < 1e-9, subject, fmt::format("priors sum to {}, not to 1", priors));
  Require(model.decision.threshold >= 0 && model.decision.threshold <= 1, subject,
          fmt::format("threshold {} is not between 0 and 1", model.decision.threshold));
  RequireClassCosts(model.class_costs, model, subject);
}

double CalibrationSide::operator()(double distance) const {
  double told = jump;
  for (std::size_t k = 0; k < lines.size() && distance > lines[k].from; ++k) {
    const double end = k + 1 < lines.size() ? std::min(distance, lines[k + 1].from) : distance;
    told += lines[k].slope * (end - lines[k].from);
  }
  return told;
}

double CalibrationSide::Inverse(double told) const {
  double start = jump;  // of a line, as it is told
  for (std::size_t k = 0;; ++k) {
    const auto& [from, slope] = lines[k];
    if (told <= start) return from;
    const double length = k + 1 < lines.size() ? lines[k + 1].from - from : HUGE_VAL;
    if (told <= start + slope * length) return from + (told - start) / slope;
    start += slope * length;
  }
}

Model WithPrior(Model model, double prior) {
  if (!(prior > 0 && prior < 1))
    throw Error(fmt::format("prior {}", prior), "is out of range (more than 0, less than 1)");
  // The prior's shift passes the calibration whole, though z's is multiplied by the slope.
  const double shift = Logit(prior) - Logit(model.positive().prior);
  model.calibration.offset += (1 - model.calibration.slope) * shift;
  const double scale = (1 - prior) / (1 - model.positive().prior);
  for (ClassModel& c : model.classes) c.prior *= scale;
  model.classes.front().prior = prior;
  return model;
}

Model DefaultModel() { return ModelFromJson(DefaultModelJson(), "built-in model"); }

}  // namespace skinmask
