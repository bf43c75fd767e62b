// ClassCounts are the confusion counts of K classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "skinmask/data/samples.h"
#include "skinmask/model/model.h"

namespace [[gnu::visibility("default")]] skinmask {

// How often pixels of each class were called each class, by the greatest posterior or, with costs,
// by the least cost: for K classes what Confusion is for two sides. Ratios are absent where they
// are 0/0.
struct ClassCounts {
  std::vector<std::string> classes;
  std::vector<std::uint64_t> counts;  // K x K by rows, [truth * K + called]
  ClassCosts costs;                   // of the model, likewise; empty for none

  ClassCounts() = default;
  explicit ClassCounts(const Model& model);
  void Add(std::size_t truth, std::size_t called, std::uint64_t count = 1) {
    counts[truth * classes.size() + called] += count;
  }
  // Of the same classes, or one of them empty.
  ClassCounts& operator+=(const ClassCounts& other);
  std::uint64_t Count(std::size_t truth, std::size_t called) const {
    return counts[truth * classes.size() + called];
  }
  std::optional<double> Accuracy() const;                // on the diagonal / all
  std::optional<double> MeanCost() const;                // a pixel; absent without costs
  std::optional<double> Recall(std::size_t k) const;     // called k / truly k: k's accuracy
  std::optional<double> Precision(std::size_t k) const;  // truly k / called k
};

// Whether evaluations of this model count what it calls: of two classes, masks tell it all, unless
// there are costs.
bool CountsClasses(const Model& model);

// By the reference, for every colour of the table. Pixels of classes that the model lacks are left
// out.
ClassCounts CountClasses(const Samples& samples, const Model& model);

// The mean over all pixels of -log P(true class | colour), by the reference; each counts as 2^18 at
// most. Absent without pixels, and where the table has a class that the model lacks.
std::optional<double> ClassLogLoss(const Samples& samples, const Model& model);

}  // namespace skinmask
