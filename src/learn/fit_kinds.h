// The estimators behind Fit, one for each family of kinds. Each sets the parameters of a model
// whose classes have names and counts; `samples` has no groups.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "base/parallel_rows.h"
#include "skinmask/base/error.h"
#include "skinmask/learn/fit.h"

namespace skinmask {

void FitMixture(const Samples& samples, const FitOptions& options, Model& model);
// For two classes, and for more.
void FitLogistic(const Samples& samples, const FitOptions& options, Model& model);
void FitMultinomial(const Samples& samples, const FitOptions& options, Model& model);
// Throws Error, because the weights grow without bound.
[[noreturn]] void FailSeparable(int iterations);

// Weighted points in planes of whole blocks; the last block is filled up with points of weight 0.
struct PointPlanes {
  static constexpr std::size_t kBlock = 64;
  // The number of partial sums side by side, whatever the vector length. They are added in a fixed
  // order, so that every CPU gives the same bits.
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

  std::size_t count = 0;                 // of points, without the filling
  std::vector<double> weight;            // pixels; of either sign, as the fit needs it
  std::array<std::vector<double>, 3> f;  // features; those that a model does not use are 0
};

// As SumOver, over whole blocks of points.
template <class Sum, class Add>
Sum SumOverBlocks(const PointPlanes& points, const Sum& zero, const Add& add) {
  constexpr std::size_t kBlock = PointPlanes::kBlock, kPart = 4096;
  return SumOver(points.weight.size() / kBlock, kPart / kBlock, zero,
                 [&](std::size_t first, std::size_t last, Sum& sum) {
                   add(first * kBlock, last * kBlock, sum);
                 });
}

// The features of a class's rows, for fits that go over them many times.
PointPlanes PlanesOf(const Samples& samples, const Features& features,
                     const std::string& class_name);

struct Scale {
  FeatureVector mean, deviation;
};
// Of the first `features` features, over the points of all classes.
Scale ScaleOf(std::span<const PointPlanes> classes, int features);

// Reports the iterations of a fit to the options' `progress`, and watches their `stop`. The options
// must outlive it. A fit has `loops` loops, each of at most `most` iterations.
class Iterations {
 public:
  Iterations(const FitOptions& options, std::size_t loops, int most)
      : options_(options), most_(static_cast<std::size_t>(most)), later_(loops * most_) {}

  // Begins the next loop, each iteration of which goes over so many pixels.
  void Begin(double pixels) {
    later_ -= most_;
    pixels_of_each_ = static_cast<std::uint64_t>(pixels);
  }
  // Skips the next loop.
  void LeaveOut() { later_ -= most_; }
  // Call before each iteration, and from time to time within long ones. Throws Error after a stop.
  void RequireNotStopped() const {
    if (options_.stop && options_.stop->load())
      throw Error("fit", "was stopped before its end (interrupted)");
  }
  // One iteration is done; at most `left` more follow in its loop.
  void Done(int left) {
    pixels_ += pixels_of_each_;
    ++done_;
    if (options_.progress)
      options_.progress(done_, done_ + static_cast<std::size_t>(left) + later_, pixels_);
  }

 private:
  const FitOptions& options_;
  std::size_t most_, later_, done_ = 0;  // later_: iterations of the next loops
  std::uint64_t pixels_of_each_ = 0, pixels_ = 0;
};

}  // namespace skinmask
