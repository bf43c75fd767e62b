// Folds of a table for cross-validation, which keep images whole (docs/math.md,
// 'Cross-validation').
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "skinmask/data/samples.h"

namespace [[gnu::visibility("default")]] skinmask {

// The fold of each unit of a table. Units are groups (images), whose pixels stay together; or, if
// every group is 0, colours, whose pixels stay together in all classes.
class Folds {
 public:
  // Units in ascending order of h(unit) are assigned to the folds 0, 1, .. count - 1, 0, 1 .. in
  // turn. So folds have equally many units, plus or minus one, for any order of rows. h(u) =
  // mix(mix(seed) + u), where mix is the output function of SplitMix64 (Steele et al. 2014); a
  // colour's number is b * 65536 + g * 256 + r. Throws Error unless 2 <= count <= number of units.
  Folds(const Samples& samples, std::size_t count, std::uint64_t seed);

  std::size_t count() const { return count_; }
  bool by_group() const { return by_group_; }
  const std::vector<std::uint32_t>& units() const { return units_; }  // ascending
  std::size_t FoldOf(const SampleRow& row) const;

  // The rows in the fold, or outside it, as a table without groups.
  Samples HeldOut(const Samples& samples, std::size_t fold) const {
    return Part(samples, fold, true);
  }
  Samples Training(const Samples& samples, std::size_t fold) const {
    return Part(samples, fold, false);
  }

 private:
  std::uint32_t UnitOf(const SampleRow& row) const;
  Samples Part(const Samples& samples, std::size_t fold, bool inside) const;
  std::size_t count_;
  bool by_group_;
  std::vector<std::uint32_t> units_, folds_;
};

}  // namespace skinmask
