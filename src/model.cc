#include "skinmask/model.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <set>

#include "skinmask/error.h"

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

void ValidateClass(const GaussianClass& c, int size, std::string_view subject) {
  const std::string where = fmt::format("class '{}': ", c.name);
  Require(std::isfinite(c.prior) && c.prior > 0 && c.prior < 1, subject,
          where + fmt::format("prior {} is not between 0 and 1", c.prior));
  Require(c.mean.size() == size, subject, where + fmt::format("mean needs {} numbers", size));
  Require(c.mean.allFinite(), subject, where + "mean has a number that is not finite");
  Require(c.covariance.rows() == size && c.covariance.cols() == size, subject,
          where + fmt::format("covariance needs {0} x {0} numbers", size));
  Require(c.covariance.allFinite(), subject, where + "covariance has a number that is not finite");
  Require(c.covariance == c.covariance.transpose(), subject, where + "covariance is not symmetric");
  const Eigen::LLT<FeatureMatrix> cholesky(c.covariance);
  Require(cholesky.info() == Eigen::Success && FeatureMatrix(cholesky.matrixL()).allFinite(), subject,
          where + "covariance is not positive definite");
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
  Require(model.classes.size() >= 2, subject, "a model needs two classes or more");
  std::set<std::string> names;
  double priors = 0;
  for (const GaussianClass& c : model.classes) {
    Require(names.insert(c.name).second, subject, fmt::format("class '{}' stands twice", c.name));
    ValidateClass(c, model.features.size(), subject);
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
