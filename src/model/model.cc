#include "skinmask/model/model.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <set>

#include "base/json.h"
#include "base/nearest.h"
#include "base/parse.h"
#include "model/binning.h"
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

// Throws Error for a violated requirement; `where` precedes the problem in the message.
class Requirements {
 public:
  explicit Requirements(std::string_view subject, std::string where = "")
      : subject_(subject), where_(std::move(where)) {}
  template <class... Args>
  void operator()(bool good, fmt::format_string<const Args&...> problem,
                  const Args&... args) const {
    if (!good) throw Error(subject_, where_ + fmt::format(problem, args...));
  }

 private:
  std::string_view subject_;
  std::string where_;
};

// The quadratic form is convex, so its maximum is at a corner of the carriers' box.
void RequireFiniteDensity(const Gaussian& gaussian, const Eigen::LLT<FeatureMatrix>& cholesky,
                          const Features& features, const Requirements& require) {
  constexpr double kLargest = 1e30;  // far below the limit of single precision
  const auto& [x, y, z] = features.space().limits;
  for (int corner = 0; corner < 8; ++corner) {
    const Eigen::Vector3d carrier(corner & 1 ? x : 0, corner & 2 ? y : 0, corner & 4 ? z : 0);
    const FeatureVector d = features.Matrix() * carrier + features.Offset() - gaussian.mean;
    require(d.dot(cholesky.solve(d)) < kLargest, "its density overflows (mean, covariance)");
  }
}

void ValidateGaussian(const Gaussian& gaussian, const Features& features,
                      const Requirements& require) {
  const int size = features.size();
  const FeatureMatrix& covariance = gaussian.covariance;
  require(gaussian.weight > 0 && gaussian.weight <= 1, "weight {} is not between 0 and 1",
          gaussian.weight);
  require(gaussian.mean.size() == size && covariance.rows() == size && covariance.cols() == size,
          "mean needs {0} numbers, and covariance {0} x {0}", size);
  require(gaussian.mean.allFinite() && covariance.allFinite(),
          "mean or covariance has a number that is not finite");
  require(covariance == covariance.transpose(), "covariance is not symmetric");
  const Eigen::LLT<FeatureMatrix> cholesky(covariance);
  require(cholesky.info() == Eigen::Success && FeatureMatrix(cholesky.matrixL()).allFinite(),
          "covariance is not positive definite");
  RequireFiniteDensity(gaussian, cholesky, features, require);
}

void ValidateGaussians(const ClassModel& c, const Model& model, const Requirements& require) {
  double weights = 0;
  const std::size_t count = c.gaussians().size();
  require(count > 0 && count <= CompiledMixture::kMaxComponents, "{} components (1 to {})", count,
          CompiledMixture::kMaxComponents);
  for (const Gaussian& gaussian : c.gaussians()) {
    ValidateGaussian(gaussian, model.features, require);
    weights += gaussian.weight;
  }
  require(std::abs(weights - 1) < 1e-9, "weights sum to {}, not to 1", weights);
  require(model.kind != Kind::kGaussianNb || c.covariance.isDiagonal(0),
          "covariance is not diagonal, as gaussian-nb has it");
}

// Requires ascending bins without repetition; the sum of every channel (or of the whole histogram)
// must be the class's count.
void ValidateBins(const ClassModel& c, const Model& model, const Requirements& require) {
  const Binning binning(model.features, model.histogram.bins);
  const std::size_t bin_count = binning.BinCountOf(model.kind);
  const std::size_t histograms = model.kind == Kind::kHistogramNb ? binning.size() : 1;
  constexpr std::uint64_t kMax = std::uint64_t{1} << 62;
  std::uint64_t sum = 0;
  std::vector<std::uint64_t> sums(histograms);
  for (std::size_t i = 0; i < c.bins.size(); ++i) {
    require(c.bins[i].bin < bin_count && (i == 0 || c.bins[i - 1].bin < c.bins[i].bin),
            "bins are not ascending and below {}", bin_count);
    require(c.bins[i].count <= kMax - sum, "bins hold more than {} pixels", kMax);
    sum += c.bins[i].count;
    sums[c.bins[i].bin / (bin_count / histograms)] += c.bins[i].count;
  }
  require(c.count > 0 && std::ranges::count(sums, c.count) == std::ssize(sums),
          "bins hold {} pixels, count says {}", sum, c.count);
}

void ValidateHistogram(const Model& model, const Requirements& require) {
  const auto [bins, smoothing] = model.histogram;
  require(bins >= 2 && bins <= 256, "{} bins (2 to 256)", bins);
  require(smoothing >= Histogram::kMinSmoothing && smoothing <= Histogram::kMaxSmoothing,
          "smoothing {} is not from {:g} to {:g}", smoothing, Histogram::kMinSmoothing,
          Histogram::kMaxSmoothing);
  // Each bin takes a double in memory, even if the file does not name it.
  const std::size_t all =
      model.classes.size() * Binning(model.features, bins).BinCountOf(model.kind);
  require(all <= Histogram::kMaxBins, "{} bins of all classes (at most {})", all,
          Histogram::kMaxBins);
}

// Log-odds are below 10^31 (RequireFiniteDensity, ValidateTerms), so slope times log-odds fits
// in a float.
void ValidateCalibration(const Calibration& calibration, const Requirements& require) {
  constexpr double kMaxSlope = 1e6, kMaxOffset = 1e30;
  require(calibration.slope > 0 && calibration.slope <= kMaxSlope,
          "calibration's slope {} is not more than 0 and at most {:g}", calibration.slope,
          kMaxSlope);
  require(calibration.prior >= 0 && calibration.prior < 1,
          "calibration's prior {} is not between 0 and 1", calibration.prior);
  require(std::abs(calibration.offset) <= kMaxOffset, "calibration's offset {} is not within {:g}",
          calibration.offset, kMaxOffset);
}

void ValidateSide(const CalibrationSide& side, const Requirements& require) {
  constexpr double kMax = CalibrationSide::kMax;
  require(side.jump >= 0 && side.jump <= kMax,
          "adapted calibration's jump {} is not within 0..{:g}", side.jump, kMax);
  require(!side.lines.empty() && side.lines.size() <= CalibrationSide::kMaxLines,
          "adapted calibration has {} lines on a side (1 to {})", side.lines.size(),
          CalibrationSide::kMaxLines);
  for (std::size_t k = 0; k < side.lines.size(); ++k) {
    const auto [from, slope] = side.lines[k];
    require(slope >= 1 / kMax && slope <= kMax,
            "adapted calibration's slope {} is not within {:g}..{:g}", slope, 1 / kMax, kMax);
    require(k == 0 ? from == 0 : from > side.lines[k - 1].from && from <= kMax,
            "adapted calibration's lines do not begin at 0 and then ascend to at most {:g}", kMax);
  }
}

// Features are below 2^10, so no term overflows a float.
void ValidateTerms(const FeatureTerms& terms, const Model& model, const Requirements& require) {
  const auto size = static_cast<std::size_t>(model.features.size());
  require(terms.linear.size() == model.features.size(), "linear needs {} numbers", size);
  require(terms.product.empty() || terms.product.size() == size * (size + 1) / 2,
          "product needs {} numbers, or none", size * (size + 1) / 2);
  const double largest = 1e24;
  bool bounded = std::abs(terms.constant) <= largest;
  for (const double a : terms.linear) bounded &= std::abs(a) <= largest;
  for (const double a : terms.product) bounded &= std::abs(a) <= largest;
  require(bounded, "coefficients must be finite, and at most {:g}", largest);
}

void ValidateClass(const ClassModel& c, const Model& model, const Requirements& require) {
  require(std::isfinite(c.prior) && c.prior > 0 && c.prior < 1, "prior {} is not between 0 and 1",
          c.prior);
  if (IsHistogram(model.kind)) return ValidateBins(c, model, require);
  if (model.kind != Kind::kLogistic) return ValidateGaussians(c, model, require);
  if (model.classes.size() == 2) return;
  ValidateTerms(c.terms, model, require);
  require(c.terms.product.size() == model.classes[0].terms.product.size(),
          "classes have products and none: all do, or none does");
}

void ValidateClassCosts(const ClassCosts& costs, const Model& model, const Requirements& require) {
  const std::size_t size = costs.size(), k = model.classes.size();
  require(size == 0 || size == k * k,
          "{} costs of calling one of {} classes another ({} rows of {})", size, k, k, k);
  for (std::size_t i = 0; i < size; ++i) {
    require(costs[i] >= 0 && costs[i] <= kMaxClassCost, "a cost of {} (0 to {})", costs[i],
            kMaxClassCost);
    require(i % (k + 1) != 0 || costs[i] == 0, "a cost of {} for calling class '{}' what it is (0)",
            costs[i], model.classes[i / k].name);
  }
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

std::string_view EstimatorName(Estimator wanted) { return NameIn(kEstimatorNames, wanted); }

Estimator EstimatorFromName(std::string_view name) {
  return FromNameIn(kEstimatorNames, "covariance", name);
}

void Validate(const Model& model, std::string_view subject) {
  const Requirements require(subject);
  require(model.classes.size() >= 2 && model.classes.size() <= kMaxClasses, "{} classes (2 to {})",
          model.classes.size(), kMaxClasses);
  for (double s : model.shrinkage)
    require(s >= 0 && s <= 1, "shrinkage {} is not between 0 and 1", s);
  const LogisticTerms& terms = model.logistic;
  if (model.kind == Kind::kLogistic && model.classes.size() == 2)
    ValidateTerms(terms, model, require);
  require(std::isfinite(terms.log_likelihood) && terms.ridge >= 0 && std::isfinite(terms.ridge),
          "log-likelihood and ridge must be finite, the ridge not below 0");
  if (IsHistogram(model.kind)) ValidateHistogram(model, require);
  ValidateCalibration(model.calibration, require);
  const AdaptedCalibration& adapted = model.adapted_calibration;
  for (const CalibrationCurve* curve : {&adapted.faces, &adapted.image, &adapted.neither}) {
    ValidateSide(curve->below, require);
    ValidateSide(curve->above, require);
  }
  // A file with more could not be read again.
  require(model.card.notes.size() <= kMaxMembers, "{} notes (at most {})", model.card.notes.size(),
          kMaxMembers);
  std::set<std::string> names;
  double priors = 0;
  std::size_t components = 0;
  for (const ClassModel& c : model.classes) {
    require(names.insert(c.name).second, "class '{}' stands twice", c.name);
    require(IsClassName(c.name), "'{}' is no name for a class", c.name);
    ValidateClass(c, model, Requirements(subject, fmt::format("class '{}': ", c.name)));
    priors += c.prior;
    components += c.components.size();
  }
  // With more, a picture of many colours would take minutes.
  constexpr std::size_t kMaxComponents = 512;
  require(components <= kMaxComponents, "{} components of all classes (at most {})", components,
          kMaxComponents);
  // Priors are ratios of integers or typed decimals, so their sum is wrong by a few roundings at
  // most.
  require(std::abs(priors - 1) < 1e-9, "priors sum to {}, not to 1", priors);
  require(model.decision.threshold >= 0 && model.decision.threshold <= 1,
          "threshold {} is not between 0 and 1", model.decision.threshold);
  ValidateClassCosts(model.class_costs, model, require);
}

double CalibrationSide::operator()(double distance) const {
  double calibrated = jump;
  for (std::size_t k = 0; k < lines.size() && distance > lines[k].from; ++k) {
    const double end = k + 1 < lines.size() ? std::min(distance, lines[k + 1].from) : distance;
    calibrated += lines[k].slope * (end - lines[k].from);
  }
  return calibrated;
}

double CalibrationSide::Inverse(double calibrated) const {
  double start = jump;  // the calibrated distance at the start of a line
  for (std::size_t k = 0;; ++k) {
    const auto& [from, slope] = lines[k];
    if (calibrated <= start) return from;
    const double length = k + 1 < lines.size() ? lines[k + 1].from - from : HUGE_VAL;
    if (calibrated <= start + slope * length) return from + (calibrated - start) / slope;
    start += slope * length;
  }
}

Model WithPrior(Model model, double prior) {
  if (!(prior > 0 && prior < 1))
    throw Error(fmt::format("prior {}", prior), "is out of range (more than 0, less than 1)");
  if (1 - prior == 1)
    throw Error(fmt::format("prior {}", prior),
                "is too small: the other classes' would be 1 (1e-16 or more)");
  // The shift of the prior must not be multiplied by the calibration's slope, so the offset
  // corrects it.
  Calibration& calibration = model.calibration;
  const double shift = Logit(prior) - Logit(model.positive().prior);
  const double told = Logit(prior) - Logit(model.PriorOfLogOdds());
  calibration.offset += told - calibration.slope * shift;
  calibration.prior = 0;
  const double scale = (1 - prior) / (1 - model.positive().prior);
  // (Rounding must not make the prior of the only other class 1.)
  for (ClassModel& c : model.classes) c.prior = std::min(c.prior * scale, 1 - prior);
  model.classes.front().prior = prior;
  model.card.scores.clear();  // they were the old model's, as was the choice of the threshold
  model.decision.rule = "fixed";
  model.decision.data.clear();
  return model;
}

Model WithClassCosts(Model model, const ClassCosts& costs) {
  ValidateClassCosts(costs, model, Requirements("`class_costs`"));
  model.class_costs = costs;
  return model;
}

std::string TextOfClassCosts(const ClassCosts& costs) {
  const auto size = static_cast<std::size_t>(std::lround(std::sqrt(costs.size())));
  std::string text;
  for (std::size_t i = 0; i < costs.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i % size == 0 ? ":" : ",", costs[i]);
  return text;
}

ClassCosts ClassCostsFrom(const std::string& text) {
  ClassCosts costs;
  if (text.empty()) return costs;
  const std::vector<std::string> rows = Parts(text, ':');
  const auto is_good = [](double cost) { return cost >= 0 && cost <= kMaxClassCost; };
  bool square = rows.size() > 1;
  for (std::size_t k = 0; square && k < rows.size(); ++k) {
    const auto numbers = ParseNumbers<double>(rows[k], ',');
    // Calling a class what it is costs nothing.
    square = numbers && numbers->size() == rows.size() && (*numbers)[k] == 0 &&
             std::ranges::all_of(*numbers, is_good);
    if (square) costs.insert(costs.end(), numbers->begin(), numbers->end());
  }
  if (!square)
    throw Error(
        fmt::format("`class_costs` '{}'", text),
        "is no square table of costs from 0 to 1e6, with 0 where a class is called what it is (a "
        "row for each true class, as in 0,1,5:1,0,5:1,1,0)");
  return costs;
}

Model DefaultModel() { return ModelFromJson(DefaultModelJson(), "built-in model"); }

}  // namespace skinmask
