// The estimators behind Fit, one for each family of kinds. They fill what the kind needs of a model
// whose classes have names and counts; `samples` has every group 0.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include "skinmask/learn/fit.h"

namespace skinmask {

void FitMixture(const Samples& samples, const FitOptions& options, Model& model);
void FitLogistic(const Samples& samples, const FitOptions& options, Model& model);
void FitHistogram(const Samples& samples, const FitOptions& options, Model& model);

// The features of a class's rows, which iterative fits go over again and again.
struct WeightedPoint {
  Eigen::Vector3d f = Eigen::Vector3d::Zero();  // unused entries are 0
  double weight = 0;                            // pixels
};
std::vector<WeightedPoint> PointsOf(const Samples& samples, const Features& features,
                                    const std::string& class_name);

// Sums over [0, count) in parts of a fixed size, so that they do not depend on the threads. Sum
// needs a default of zero and +=; add(i, sum) adds item i.
template <class Sum, class Add>
Sum SumOver(std::size_t count, const Add& add) {
  constexpr std::size_t kGrain = 2048;
  return tbb::parallel_deterministic_reduce(
      tbb::blocked_range<std::size_t>(0, count, kGrain), Sum(),
      [&](const tbb::blocked_range<std::size_t>& range, Sum sum) {
        for (std::size_t i = range.begin(); i != range.end(); ++i) add(i, sum);
        return sum;
      },
      [](Sum a, const Sum& b) {
        a += b;
        return a;
      });
}

}  // namespace skinmask
