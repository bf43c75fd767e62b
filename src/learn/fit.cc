#include "skinmask/learn/fit.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "data/carriers.h"
#include "learn/fit_kinds.h"
#include "model/binning.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

// If the part of a channel that the others do not explain is below this share of its variance, it
// cannot be distinguished from rounding: bytes give shares of 1e-6 and more, rounding 1e-13.
constexpr double kSingularPivot = 1e-10;

bool HasConstantChannel(const FeatureMatrix& covariance) {
  return (covariance.diagonal().array() <= 0).any();
}

[[noreturn]] void FailDegenerate(const ClassModel& c, const FitOptions& options) {
  const bool pooled = options.kind == Kind::kLda;
  std::vector<std::string> constant;
  for (int i = 0; i < options.features.size(); ++i)
    if (c.covariance(i, i) <= 0)
      constant.push_back(options.features.channel_names()[static_cast<std::size_t>(i)]);
  // Shrinkage helps if channels depend on each other, not if a channel is constant.
  std::string why, help;
  if (!constant.empty())
    why = fmt::format(", {} never var{}", fmt::join(constant, " and "),
                      constant.size() > 1 ? "y" : "ies");
  else
    help = options.shrinkage.s == 0. ? ", or `shrinkage` 0.1" : ", more `shrinkage`";
  throw Error(pooled ? "the classes" : fmt::format("class '{}'", c.name),
              fmt::format("{} do not span the {} channel{} of {}: the covariance is singular{} "
                          "(more varied samples, fewer `channels`{})",
                          pooled ? "the samples" : fmt::format("{} samples", c.count),
                          options.features.size(), options.features.size() > 1 ? "s" : "",
                          options.features.space().name, why, help));
}

bool IsSingular(const FeatureMatrix& covariance) {
  if (HasConstantChannel(covariance)) return true;
  const FeatureVector scale = covariance.diagonal().array().sqrt().inverse();
  const FeatureMatrix correlation = scale.asDiagonal() * covariance * scale.asDiagonal();
  const Eigen::LLT<FeatureMatrix> cholesky(correlation);
  return cholesky.info() != Eigen::Success ||
         FeatureMatrix(cholesky.matrixL()).diagonal().array().square().minCoeff() < kSingularPivot;
}

void Shrink(FeatureMatrix& covariance, double s) {
  const FeatureMatrix diagonal = covariance.diagonal().asDiagonal();
  covariance = (1 - s) * covariance + s * diagonal;
}

// The sum over a class's pixels of (u'u)^2, u the standardised features: Ledoit and Wolf's choice
// needs only this beyond second moments. Rows are in canonical order, so the sum is reproducible.
double FourthMoment(const PointPlanes& points, const FeatureVector& mean,
                    const FeatureVector& inverse_deviation) {
  double sum = 0;
  for (std::size_t k = 0; k < points.count; ++k) {
    double length = 0;
    for (Eigen::Index i = 0; i < mean.size(); ++i) {
      const double u = (points.f[static_cast<std::size_t>(i)][k] - mean(i)) * inverse_deviation(i);
      length += u * u;
    }
    sum += points.weight[k] * length * length;
  }
  return sum;
}

// Ledoit and Wolf, 'A well-conditioned estimator for large-dimensional covariance matrices', 2004,
// on standardised features, where the target (a multiple of the identity) is the diagonal.
double LedoitWolf(const Samples& samples, const Features& features, const ClassModel& c) {
  if (features.size() == 1) return 0;  // its own diagonal; rounding must not say otherwise
  const FeatureVector inverse = c.covariance.diagonal().array().sqrt().inverse();
  const FeatureMatrix correlation = inverse.asDiagonal() * c.covariance * inverse.asDiagonal();
  const double n = static_cast<double>(c.count);
  const double squares = correlation.squaredNorm();
  const double distance = squares - static_cast<double>(features.size());  // |C - I|^2, diag C = 1
  if (distance <= 0) return 0;
  const PointPlanes points = PlanesOf(samples, features, c.name);
  const double spread = (FourthMoment(points, c.mean, inverse) / n - squares) / n;
  return std::clamp(spread / distance, 0., 1.);
}

void CheckOptions(const FitOptions& options) {
  FitTable().Validate(options, "fit option");
  const std::optional<double>& s = options.shrinkage.s;
  if (s && !(*s >= 0 && *s <= 1))
    throw Error(fmt::format("`shrinkage` {}", *s), "is out of range (0 to 1, or auto)");
  if (options.kind == Kind::kLogistic && options.logistic.step &&
      options.logistic.solver == LogisticOptions::Solver::kNewton)
    throw Error("`rate`", "is of `solver` gradient and sgd, and newton takes no rate");
  if (options.logistic.iterations.value_or(1) < 1 || options.mixture.iterations < 1)
    throw Error("`iterations`", "is less than 1");
}

// Sets the names and counts of the classes, the positive class first.
void NameClasses(const Samples& samples, const FitOptions& options, Model& model) {
  std::vector<std::uint64_t> totals(samples.classes().size());
  for (const SampleRow& row : samples.rows()) totals[row.class_index] += row.count;
  for (std::size_t k = 0; k < totals.size(); ++k) {
    ClassModel c;
    c.name = samples.classes()[k];
    c.count = totals[k];
    if (c.count == 0)
      throw Error(fmt::format("class '{}'", c.name),
                  "has no samples (no pixel is labelled so, or all are held out)");
    const bool positive = c.name == options.positive;
    model.classes.insert(positive ? model.classes.begin() : model.classes.end(), std::move(c));
  }
  if (model.classes.empty() || model.positive().name != options.positive)
    throw Error(fmt::format("class '{}'", options.positive),
                fmt::format("has no samples (classes are: {}; `positive` names the one to find)",
                            fmt::join(samples.classes(), " ")));
}

// Estimates means and covariances.
void EstimateClasses(const Samples& samples, const FitOptions& options, Model& model) {
  const std::vector<Moments> moments = MomentsOf(samples, options.features.space());
  for (ClassModel& c : model.classes) {
    const auto k = static_cast<std::size_t>(std::ranges::find(samples.classes(), c.name) -
                                            samples.classes().begin());
    std::tie(c.mean, c.covariance) = FeatureMoments(moments[k], options.features);
    double s = options.shrinkage.s.value_or(0);
    if (options.kind == Kind::kGaussianNb) {
      Shrink(c.covariance, 1);
    } else {
      // A channel without variance cannot be standardised; the check for singularity reports it.
      if (!options.shrinkage.s && !HasConstantChannel(c.covariance))
        s = LedoitWolf(samples, options.features, c);
      Shrink(c.covariance, s);
    }
    model.shrinkage.push_back(s);
  }
}

// The number of pixels of all classes.
double PixelsOf(const Model& model) {
  double n = 0;
  for (const ClassModel& c : model.classes) n += static_cast<double>(c.count);
  return n;
}

// Sigma = sum_k (n_k / n) Sigma_k, around each class's own mean.
void PoolCovariances(Model& model) {
  const double n = PixelsOf(model);
  FeatureMatrix pooled = FeatureMatrix::Zero(model.features.size(), model.features.size());
  for (const ClassModel& c : model.classes)
    pooled += static_cast<double>(c.count) / n * c.covariance;
  for (ClassModel& c : model.classes) c.covariance = pooled;
}

void CorrectBias(Model& model) {
  const double n = PixelsOf(model);
  const double k = static_cast<double>(model.classes.size());
  for (ClassModel& c : model.classes) {
    const double own = static_cast<double>(c.count);
    if (model.kind == Kind::kLda ? n <= k : own <= 1)
      throw Error(fmt::format("class '{}'", c.name),
                  "has too few samples for `covariance` unbiased");
    c.covariance *= model.kind == Kind::kLda ? n / (n - k) : own / (own - 1);
  }
}

void SetPriors(const FitOptions& options, Model& model) {
  const double n = PixelsOf(model);
  for (ClassModel& c : model.classes) c.prior = static_cast<double>(c.count) / n;
  if (options.positive_prior && !options.priors.empty())
    throw Error("`prior`", "is given for the positive class and for each class (one of them)");
  if (options.positive_prior) model = WithPrior(std::move(model), *options.positive_prior);
  if (options.priors.empty()) return;
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  for (ClassModel& c : model.classes) c.prior = kNone;
  for (const auto& [name, prior] : options.priors) {
    const auto c = std::ranges::find(model.classes, name, &ClassModel::name);
    const std::string subject = fmt::format("prior {}={}", name, prior);
    if (c == model.classes.end()) throw Error(subject, "is of a class that has no samples");
    if (!std::isnan(c->prior)) throw Error(subject, "is not the only one of this class");
    c->prior = prior;
  }
  for (const ClassModel& c : model.classes)
    if (std::isnan(c.prior))
      throw Error(fmt::format("class '{}'", c.name), "has no prior (give all, or none)");
}

void FitGaussians(const Samples& samples, const FitOptions& options, Model& model) {
  EstimateClasses(samples, options, model);
  if (model.kind == Kind::kLda) PoolCovariances(model);
  if (model.estimator == Estimator::kUnbiased) CorrectBias(model);
  for (const ClassModel& c : model.classes)
    if (IsSingular(c.covariance)) FailDegenerate(c, options);
}

void FitHistogram(const Samples& samples, const FitOptions& options, Model& model) {
  model.histogram = options.histogram;
  const Binning binning(options.features, options.histogram.bins);
  for (ClassModel& c : model.classes) {
    std::vector<std::uint64_t> counts(binning.BinCountOf(options.kind));
    const PointPlanes points = PlanesOf(samples, options.features, c.name);
    for (std::size_t k = 0; k < points.count; ++k) {
      const std::array<double, 3> f{points.f[0][k], points.f[1][k], points.f[2][k]};
      const auto count = static_cast<std::uint64_t>(points.weight[k]);
      binning.ForEachBin(options.kind, f.data(), [&](std::size_t bin) { counts[bin] += count; });
    }
    for (std::size_t bin = 0; bin < counts.size(); ++bin)
      if (counts[bin] > 0) c.bins.push_back({static_cast<std::uint32_t>(bin), counts[bin]});
  }
}

}  // namespace

PointPlanes PlanesOf(const Samples& samples, const Features& features,
                     const std::string& class_name) {
  const auto k = std::ranges::find(samples.classes(), class_name) - samples.classes().begin();
  const auto first = std::ranges::lower_bound(samples.rows(), k, {}, &SampleRow::class_index);
  const auto last = std::ranges::upper_bound(samples.rows(), k, {}, &SampleRow::class_index);
  const std::span rows(first, last);
  PointPlanes points(rows.size());
  const FeatureMatrix matrix = features.Matrix();
  const FeatureVector offset = features.Offset();
  ForEachCarrier(rows, features.space(), [&](std::size_t i, const std::int32_t* carrier) {
    points.weight[i] = static_cast<double>(rows[i].count);
    for (Eigen::Index j = 0; j < features.size(); ++j)
      points.f[static_cast<std::size_t>(j)][i] = matrix(j, 0) * carrier[0] +
                                                 matrix(j, 1) * carrier[1] +
                                                 matrix(j, 2) * carrier[2] + offset(j);
  });
  return points;
}

Scale ScaleOf(std::span<const PointPlanes> classes, int features) {
  double total = 0;
  for (const PointPlanes& points : classes)
    for (std::size_t k = 0; k < points.count; ++k) total += points.weight[k];
  Scale scale{FeatureVector::Zero(features), FeatureVector::Zero(features)};
  for (int i = 0; i < features; ++i) {
    const auto channel = static_cast<std::size_t>(i);
    double sum = 0, squares = 0;
    for (const PointPlanes& points : classes)
      for (std::size_t k = 0; k < points.count; ++k) sum += points.weight[k] * points.f[channel][k];
    const double mean = scale.mean(i) = sum / total;
    for (const PointPlanes& points : classes)
      for (std::size_t k = 0; k < points.count; ++k) {
        const double d = points.f[channel][k] - mean;
        squares += points.weight[k] * d * d;
      }
    scale.deviation(i) = std::sqrt(squares / total);
  }
  return scale;
}

std::pair<FeatureVector, FeatureMatrix> FeatureMoments(const Moments& moments,
                                                       const Features& features) {
  const FeatureMatrix matrix = features.Matrix();
  const FeatureVector mean = matrix * moments.Mean() + features.Offset();
  const FeatureMatrix covariance = matrix * moments.Covariance() * matrix.transpose();
  // Made symmetric to the last bit, which rounding in a product of three matrices does not ensure.
  return {mean, 0.5 * (covariance + covariance.transpose())};
}

Model Fit(const Samples& samples, const FitOptions& options) {
  CheckOptions(options);
  const bool grouped = !samples.rows().empty() && samples.rows().back().group != 0;  // the greatest
  if (grouped) return Fit(samples.Ungrouped(), options);
  if (samples.classes().size() < 2)
    throw Error("samples", fmt::format("hold {} (two classes or more are needed, one of them '{}')",
                                       samples.classes().empty() ? "no pixels" : "one class",
                                       options.positive));
  Model model;
  model.kind = options.kind;
  model.features = options.features;
  model.estimator = options.estimator;
  NameClasses(samples, options, model);
  if (IsHistogram(model.kind))
    FitHistogram(samples, options, model);
  else if (model.kind == Kind::kLogistic)
    FitLogistic(samples, options, model);
  else if (model.kind == Kind::kMixture)
    FitMixture(samples, options, model);
  else
    FitGaussians(samples, options, model);
  SetPriors(options, model);
  model = WithClassCosts(std::move(model), options.class_costs);
  Validate(model, "trained model");
  return model;
}

}  // namespace skinmask
