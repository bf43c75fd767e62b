// The last times of something, and how to draw them.
#pragma once

#include <cstddef>
#include <deque>

namespace skinmask::live {

class History {
 public:
  explicit History(std::size_t most) : most_(most) {}

  void Add(double value);
  std::size_t most() const { return most_; }
  const std::deque<double>& values() const { return values_; }
  double mean() const;
  double Quantile(double share) const;  // 0 where there is none
  // The least of 10, 20, 50, 100, 200 ... that no value is above: the top of a graph.
  double Ceiling() const;

 private:
  std::size_t most_;
  std::deque<double> values_;
};

}  // namespace skinmask::live
