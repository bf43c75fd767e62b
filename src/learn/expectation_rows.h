// What share components or classes have in points: EStep is the expectation step of the fit of a
// mixture, over points in planes, and SoftmaxRows that of scores.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "learn/fit_kinds.h"

namespace skinmask {

// A component as its density at f is taken: 2^(constant - |whitening (f - mean)|^2), whitening
// lower triangular, by rows: 00 10 11 20 21 22.
struct WhitenedComponent {
  double constant = 0;
  std::array<double, 3> mean{};
  std::array<double, 6> whitening{};
};

// Weighted sums of the points of one component: of 1, f and f f' (00 01 02 11 12 22).
struct ComponentSums {
  double weight = 0;
  std::array<double, 3> sum{};
  std::array<double, 6> product{};
  ComponentSums& operator+=(const ComponentSums& other);
};

// What an E-step gives: the sums of every component, its shares of the points' weights being the
// weights, and the log-likelihood of all (natural).
struct Expectation {
  std::vector<ComponentSums> sums;
  double log_likelihood = 0;
  Expectation& operator+=(const Expectation& other);
};

// In double. The same bits for every CPU target and number of threads. A share below 2^-60 of a
// point counts as 0. At most CompiledMixture::kMaxComponents. Cost: some 3 ns a point and component
// on one core with AVX-512.
Expectation EStep(const PointPlanes& points, std::span<const WhitenedComponent> components);

// Scores of classes become probabilities, in double and with the same bits on every CPU. Of
// `count` points, a multiple of 8, and `classes` planes of `stride` doubles with the scores of
// each class: leaves P = exp(score) / sum of all exp(score) there, and in `log_sum` the logarithm
// of the sum.
void SoftmaxRows(double* scores, std::size_t classes, std::size_t stride, std::size_t count,
                 double* log_sum);

}  // namespace skinmask
