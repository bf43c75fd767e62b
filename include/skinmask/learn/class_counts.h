// The confusion counts of K classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "skinmask/data/samples.h"
#include "skinmask/model/model.h"

namespace [[gnu::visibility("default")]] skinmask {

// How often pixels of each class were assigned to each class, by the greatest posterior or, with
// costs, by the least expected cost: what Confusion is for two classes. Ratios are absent if they
// are 0/0.
struct ClassCounts {
  std::vector<std::string> classes;
  std::vector<std::uint64_t> counts;  // K x K by rows, [truth * K + assigned]
  ClassCosts costs;                   // the model's, in the same order; empty for none

  ClassCounts() = default;
  explicit ClassCounts(const Model& model);
  void Add(std::size_t truth, std::size_t called, std::uint64_t count = 1) {
    counts[truth * classes.size() + called] += count;
  }
  // Both must have the same classes, or one must be empty.
  ClassCounts& operator+=(const ClassCounts& other);
  std::uint64_t Count(std::size_t truth, std::size_t called) const {
    return counts[truth * classes.size() + called];
  }
  std::uint64_t Total() const { return std::reduce(counts.begin(), counts.end()); }
  std::optional<double> Accuracy() const;                // on the diagonal / all
  std::optional<double> MeanCost() const;                // per pixel; absent without costs
  std::optional<double> Recall(std::size_t k) const;     // [k, k] / truth k: k's accuracy
  std::optional<double> Precision(std::size_t k) const;  // [k, k] / assigned k
};

// The index of each of these classes in the model; the number of its classes if it lacks one.
std::vector<std::size_t> IndicesInModel(const std::vector<std::string>& names, const Model& model);

// Whether evaluations of this model count its classes. For two classes without costs the confusion
// counts of its masks are enough.
bool CountsClasses(const Model& model);

// Classifies every colour of the table by the reference. Pixels of classes that the model lacks are
// left out.
ClassCounts CountClasses(const Samples& samples, const Model& model);

// The mean over all pixels of -log P(true class | colour), by the reference; each term is at most
// 2^18. Absent without pixels, and if the table has a class that the model lacks.
std::optional<double> ClassLogLoss(const Samples& samples, const Model& model);

}  // namespace skinmask
