// Shares of components and classes in points: EStep is the expectation step of the fit of a
// mixture, and SoftmaxBlock turns the scores of classes into probabilities.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "learn/fit_kinds.h"

namespace skinmask {

// A component, whose density at f is 2^(constant - |whitening (f - mean)|^2); the whitening is
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

// The result of an E-step: the sums of every component, weighted by its shares of the points, and
// the log-likelihood of all points (natural logarithm).
struct Expectation {
  std::vector<ComponentSums> sums;
  double log_likelihood = 0;
  Expectation& operator+=(const Expectation& other);
};

// In double, with the same bits for every CPU target and number of threads. A share below 2^-60 of
// a point counts as 0. At most CompiledMixture::kMaxComponents components. Cost: some 3 ns a point
// and component on one core with AVX-512.
Expectation EStep(const PointPlanes& points, std::span<const WhitenedComponent> components);

// Replaces the scores of classes by probabilities, exp(score) / sum of all exp(score), in double
// and with the same bits on every CPU. `scores` has a block for each class; `log_sum` gets the
// logarithm of each point's sum.
void SoftmaxBlock(std::span<PointPlanes::Block> scores, PointPlanes::Block& log_sum);

}  // namespace skinmask
