// The estimators behind Fit, one for each family of kinds. They fill what the kind needs of a model
// whose classes have names and counts; `samples` has every group 0.
#pragma once

#include <string>

#include "learn/point_planes.h"
#include "skinmask/learn/fit.h"

namespace skinmask {

void FitMixture(const Samples& samples, const FitOptions& options, Model& model);
void FitLogistic(const Samples& samples, const FitOptions& options, Model& model);
void FitHistogram(const Samples& samples, const FitOptions& options, Model& model);

// The features of a class's rows, which iterative fits go over again and again.
PointPlanes PlanesOf(const Samples& samples, const Features& features,
                     const std::string& class_name);

}  // namespace skinmask
