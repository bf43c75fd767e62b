// Folds divide a table and keep images whole (docs/math.md, 'Cross-validation').
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "skinmask/data/samples.h"

namespace [[gnu::visibility("default")]] skinmask {

// Which fold each unit of a table belongs to. Units are groups (images), all pixels of which stay
// together; or, where every group is 0, colours, all pixels of which stay together in all classes.
class Folds {
 public:
  // Units in ascending order of h(unit) take turns: 0, 1, .. count - 1, 0, 1 .. So folds hold
  // equally many units, give or take one, whatever the order of rows. h(u) = mix(mix(seed) + u),
  // mix being the output function of SplitMix64 (Steele et al. 2014); a colour's number is b *
  // 65536 + g * 256 + r. Throws Error unless 2 <= count <= number of units.
  Folds(const Samples& samples, std::size_t count, std::uint64_t seed);

  std::size_t count() const { return count_; }
  bool by_group() const { return by_group_; }
  const std::vector<std::uint32_t>& units() const { return units_; }  // ascending
  std::size_t FoldOf(const SampleRow& row) const;

  // The rows in the fold, or outside of it, as a table without groups.
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
