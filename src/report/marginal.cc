// Planes in which the third channel is integrated out.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "skinmask/base/error.h"
#include "skinmask/report/planes.h"

namespace skinmask {

Model MarginalOf(const Model& model, const std::vector<int>& features) {
  if (!IsGaussian(model.kind) && model.kind != Kind::kMixture)
    throw Error(fmt::format("kind '{}'", KindName(model.kind)),
                "has no marginal boundary (qda, lda, gaussian-nb and mixture have)");
  const std::vector<std::string> all = model.features.channel_names();
  std::vector<std::string> names;
  for (const int feature : features) names.push_back(all[static_cast<std::size_t>(feature)]);
  Model marginal = model;
  marginal.features = Features(model.features.space().name, names);
  marginal.calibration = {};
  const auto part = [&](FeatureVector& mean, FeatureMatrix& covariance) {
    if (mean.size() == 0) return;
    mean = FeatureVector(mean(features));
    covariance = FeatureMatrix(covariance(features, features));
  };
  for (ClassModel& c : marginal.classes) {
    part(c.mean, c.covariance);
    for (Gaussian& gaussian : c.components) part(gaussian.mean, gaussian.covariance);
  }
  return marginal;
}

std::vector<Plane> MarginalPlanesOf(const Model& model, const std::vector<Axis>& axes, int size) {
  std::vector<Plane> planes;
  for (const std::vector<int>& pair : {std::vector{0, 1}, {0, 2}, {1, 2}}) {
    const std::vector<Axis> of_pair{axes[static_cast<std::size_t>(pair[0])],
                                    axes[static_cast<std::size_t>(pair[1])]};
    planes.push_back(PlanesOf(MarginalOf(model, pair), of_pair, size, {}).front());
    planes.back().x = pair[0];
    planes.back().y = pair[1];
  }
  return planes;
}

}  // namespace skinmask
