#include "skinmask/model.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <set>

#include "skinmask/error.h"
#include "skinmask/samples.h"

namespace skinmask {
namespace {

constexpr std::pair<Covariance, std::string_view> kKinds[] = {
    {Covariance::kFull, "qda"},
    {Covariance::kPooled, "lda"},
    {Covariance::kDiagonal, "gaussian-nb"},
};

void Require(bool good, std::string_view subject, const std::string& problem) {
  if (!good) throw Error(subject, problem);
}

// The quadratic form is convex, so it is largest at a corner of the carriers' cube.
void RequireFiniteDensity(const GaussianClass& c, const Eigen::LLT<FeatureMatrix>& cholesky,
                          const Features& features, std::string_view subject,
                          const std::string& where) {
  constexpr double kLargest = 1e30;  // far from what single precision can hold
  const double side = features.space().carrier == ColorSpace::Carrier::kChromaticity ? 1 << 20 : 255;
  for (int corner = 0; corner < 8; ++corner) {
    const Eigen::Vector3d carrier(corner & 1 ? side : 0, corner & 2 ? side : 0, corner & 4 ? side : 0);
    const FeatureVector f = features.Matrix() * carrier + features.Offset();
    const double distance = (f - c.mean).dot(cholesky.solve(f - c.mean));
    Require(distance < kLargest, subject, where + "its density overflows (mean, covariance)");
  }
}

void ValidateClass(const GaussianClass& c, const Features& features, Covariance kind,
                   std::string_view subject) {
  const int size = features.size();
  Require(IsClassName(c.name), subject, fmt::format("'{}' is no name for a class", c.name));
  const std::string where = fmt::format("class '{}': ", c.name);
  Require(std::isfinite(c.prior) && c.prior > 0 && c.prior < 1, subject,
          where + fmt::format("prior {} is not between 0 and 1", c.prior));
  Require(c.mean.size() == size, subject, where + fmt::format("mean needs {} numbers", size));
  Require(c.mean.allFinite(), subject, where + "mean has a number that is not finite");
  Require(c.covariance.rows() == size && c.covariance.cols() == size, subject,
          where + fmt::format("covariance needs {0} x {0} numbers", size));
  Require(c.covariance.allFinite(), subject, where + "covariance has a number that is not finite");
  Require(c.covariance == c.covariance.transpose(), subject, where + "covariance is not symmetric");
  Require(kind != Covariance::kDiagonal || c.covariance.isDiagonal(0), subject,
          where + "covariance is not diagonal, as gaussian-nb has it");
  const Eigen::LLT<FeatureMatrix> cholesky(c.covariance);
  Require(cholesky.info() == Eigen::Success && FeatureMatrix(cholesky.matrixL()).allFinite(), subject,
          where + "covariance is not positive definite");
  RequireFiniteDensity(c, cholesky, features, subject, where);
}

}  // namespace

std::string_view KindName(Covariance covariance) {
  for (const auto& [kind, name] : kKinds)
    if (kind == covariance) return name;
  return {};
}

Covariance KindFromName(std::string_view name) {
  for (const auto& [kind, known] : kKinds)
    if (known == name) return kind;
  throw Error(fmt::format("model kind '{}'", name), "is unknown (there are: qda lda gaussian-nb)");
}

void Validate(const Model& model, std::string_view subject) {
  Require(model.classes.size() >= 2 && model.classes.size() <= kMaxClasses, subject,
          fmt::format("{} classes (2 to {})", model.classes.size(), kMaxClasses));
  for (double s : model.shrinkage)
    Require(s >= 0 && s <= 1, subject, fmt::format("shrinkage {} is not between 0 and 1", s));
  std::set<std::string> names;
  double priors = 0;
  for (const GaussianClass& c : model.classes) {
    Require(names.insert(c.name).second, subject, fmt::format("class '{}' stands twice", c.name));
    ValidateClass(c, model.features, model.kind, subject);
    priors += c.prior;
  }
  // Priors are ratios of integers or typed decimals; their sum is off by a few roundings at most.
  Require(std::abs(priors - 1) < 1e-9, subject, fmt::format("priors sum to {}, not to 1", priors));
  Require(model.decision.threshold >= 0 && model.decision.threshold <= 1, subject,
          fmt::format("threshold {} is not between 0 and 1", model.decision.threshold));
}

Model WithPrior(Model model, double prior) {
  if (!(prior > 0 && prior < 1))
    throw Error(fmt::format("prior {}", prior), "is out of range (more than 0, less than 1)");
  const double scale = (1 - prior) / (1 - model.positive().prior);
  for (GaussianClass& c : model.classes) c.prior *= scale;
  model.classes.front().prior = prior;
  return model;
}

Model DefaultModel() { return ModelFromJson(DefaultModelJson(), "built-in model"); }

}  // namespace skinmask
