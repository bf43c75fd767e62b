// Shares of components and classes in points: EStep is the expectation step of the fit of a
// mixture, SoftmaxBlock turns the scores of classes into probabilities, and LossRow judges
// log-odds.
#pragma once

#include <Eigen/Core>
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
using ComponentSums = Eigen::Array<double, 10, 1>;

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

// For each of `count` log-odds z, with `truth` 1 for the positive class and -1 for the others: (P -
// truth)^2, and -log P(truth), which is at most 2^18, both rounded to multiples of 2^-32. The same
// bits for every CPU target. The arrays have room for the count rounded up to a multiple of 8.
void LossRow(const double* z, const double* truth, std::size_t count, double* squared_error,
             double* log_loss);

}  // namespace skinmask
