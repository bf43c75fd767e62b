// What the row functions see of a CompiledMixture.
#pragma once

#include <cstddef>
#include <cstdint>

#include "skinmask/model/mixture.h"

namespace skinmask {

// Components k = 0 .. count - 1 by class, class 0 first, as the powers of two of their ratios to
// component 0:  p_k / p_0 = 2^u_k.
struct MixtureView {
  std::size_t count;            // 2 .. CompiledMixture::kMaxComponents
  std::size_t positives;        // components of class 0, 1 .. count - 1
  const FloatQuadratic* u;      // count of them, the first 0
  const std::uint8_t* classes;  // of each component
  bool one_each;                // no class has two components
};

}  // namespace skinmask
