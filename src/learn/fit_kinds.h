// There is one estimator behind Fit for each family of kinds. It fills what the kind needs of a
// model whose classes have names and counts; `samples` has every group 0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "base/parallel_rows.h"
#include "skinmask/learn/fit.h"

namespace skinmask {

void FitMixture(const Samples& samples, const FitOptions& options, Model& model);
// Of two classes, and of more.
void FitLogistic(const Samples& samples, const FitOptions& options, Model& model);
void FitMultinomial(const Samples& samples, const FitOptions& options, Model& model);
// Throws Error: the best weights have no end.
[[noreturn]] void FailSeparable(int iterations);

// Weighted points in planes: whole blocks, the last one filled up with points of weight 0.
struct PointPlanes {
  static constexpr std::size_t kBlock = 64;
  // Sums run side by side in so many, whatever the vectors, and are added in their order: the same
  // bits on every CPU.
  static constexpr std::size_t kSums = 8;

  using Block = std::array<double, kBlock>;  // a number for each point of a block
  using Lanes = std::array<double, kSums>;   // a sum
  static double Total(const Lanes& lanes) {
    return std::accumulate(lanes.begin(), lanes.end(), 0.);
  }

  PointPlanes() = default;
  explicit PointPlanes(std::size_t points)
      : count(points), weight((points + kBlock - 1) / kBlock * kBlock) {
    for (std::vector<double>& plane : f) plane.resize(weight.size());
  }

  std::size_t count = 0;                 // of points that were put in
  std::vector<double> weight;            // pixels; of either sign, as the fit wants it
  std::array<std::vector<double>, 3> f;  // features; those that a model does not use are 0
};

// As SumOver, over points in whole blocks.
template <class Sum, class Add>
Sum SumOverBlocks(const PointPlanes& points, const Sum& zero, const Add& add) {
  constexpr std::size_t kBlock = PointPlanes::kBlock, kPart = 4096;
  return SumOver(points.weight.size() / kBlock, kPart / kBlock, zero,
                 [&](std::size_t first, std::size_t last, Sum& sum) {
                   add(first * kBlock, last * kBlock, sum);
                 });
}

// The features of a class's rows, which iterative fits go over again and again.
PointPlanes PlanesOf(const Samples& samples, const Features& features,
                     const std::string& class_name);

// Means and standard deviations of features.
struct Scale {
  FeatureVector mean, deviation;
};
// Of the first so many, over the points of all classes.
Scale ScaleOf(std::span<const PointPlanes> classes, int features);

// The iterations of a fit, as the options watch and stop them. The options outlive it. A fit has
// loops, each of at most `most` iterations.
class Iterations {
 public:
  Iterations(const FitOptions& options, std::size_t loops, int most)
      : options_(options), most_(static_cast<std::size_t>(most)), later_(loops * most_) {}

  // Of the next loop: each iteration goes over so many pixels.
  void Begin(double pixels) {
    later_ -= most_;
    pixels_of_each_ = static_cast<std::uint64_t>(pixels);
  }
  // The next loop is not needed.
  void LeaveOut() { later_ -= most_; }
  // Before each iteration, and now and then in those that may take long. Throws Error after a stop.
  void Look() const;
  // One is done, and at most so many may follow in its loop.
  void Done(int left);

 private:
  const FitOptions& options_;
  std::size_t most_, later_, done_ = 0;  // later_: of the loops that have not begun
  std::uint64_t pixels_of_each_ = 0, pixels_ = 0;
};

}  // namespace skinmask
