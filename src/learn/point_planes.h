// PointPlanes holds the points of an iterative fit as its row functions take them.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace skinmask {

// Weighted points in planes: whole blocks, the last one filled up with points of weight 0.
struct PointPlanes {
  static constexpr std::size_t kBlock = 64;
  // Sums run side by side in so many, whatever the vectors, and are added in their order: the same
  // bits on every CPU.
  static constexpr std::size_t kSums = 8;

  using Block = std::array<double, kBlock>;  // a number for each point of a block
  using Lanes = std::array<double, kSums>;   // a sum
  static double Total(const Lanes& lanes) {
    double sum = 0;
    for (const double lane : lanes) sum += lane;
    return sum;
  }

  PointPlanes() = default;
  explicit PointPlanes(std::size_t points) : count(points), weight(Padded(points)) {
    for (std::vector<double>& plane : f) plane.resize(weight.size());
  }

  std::size_t count = 0;                 // of points that were put in
  std::vector<double> weight;            // pixels; of either sign, as the fit wants it
  std::array<std::vector<double>, 3> f;  // features; those that a model does not use are 0

 private:
  static std::size_t Padded(std::size_t points) { return (points + kBlock - 1) / kBlock * kBlock; }
};

// Sums over [0, count) in parts of at most `grain`, so that they do not depend on the threads. Sum
// needs +=; add(first, last, sum) adds items first .. last - 1.
template <class Sum, class Add>
Sum SumOver(std::size_t count, std::size_t grain, const Sum& zero, const Add& add) {
  return tbb::parallel_deterministic_reduce(
      tbb::blocked_range<std::size_t>(0, count, grain), zero,
      [&](const tbb::blocked_range<std::size_t>& range, Sum sum) {
        add(range.begin(), range.end(), sum);
        return sum;
      },
      [](Sum a, const Sum& b) {
        a += b;
        return a;
      });
}

// Over points in whole blocks.
template <class Sum, class Add>
Sum SumOverBlocks(const PointPlanes& points, const Sum& zero, const Add& add) {
  constexpr std::size_t kBlock = PointPlanes::kBlock, kPart = 4096;
  return SumOver(points.weight.size() / kBlock, kPart / kBlock, zero,
                 [&](std::size_t first, std::size_t last, Sum& sum) {
                   add(first * kBlock, last * kBlock, sum);
                 });
}

}  // namespace skinmask
