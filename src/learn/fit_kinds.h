// There is one estimator behind Fit for each family of kinds. It fills what the kind needs of a
// model whose classes have names and counts; `samples` has every group 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "learn/point_planes.h"
#include "skinmask/learn/fit.h"

namespace skinmask {

void FitMixture(const Samples& samples, const FitOptions& options, Model& model);
// Of two classes, and of more.
void FitLogistic(const Samples& samples, const FitOptions& options, Model& model);
void FitMultinomial(const Samples& samples, const FitOptions& options, Model& model);
// Throws Error: the best weights have no end.
[[noreturn]] void FailSeparable(int iterations);

// The features of a class's rows, which iterative fits go over again and again.
PointPlanes PlanesOf(const Samples& samples, const Features& features,
                     const std::string& class_name);

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
