// Pixels' scores, one by one, and the histogram that the program keeps of them.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "skinmask/learn/evaluation.h"
#include "support/world.h"

namespace skinmask::testing {

struct Scored {
  double z;
  bool truth;
};

// Rounded to such parts of 1: of quarters many are the same.
inline std::vector<Scored> DrawScored(int n, double spread, std::uint64_t seed = 21,
                                      double parts = 4) {
  Random random(seed);
  std::vector<Scored> scored;
  for (int i = 0; i < n; ++i) {
    const bool truth = random.Uniform() < 0.3;
    const double z = spread * random.Normal() + (truth ? 1 : -1);
    scored.push_back({std::round(parts * z) / parts, truth});
  }
  return scored;
}

inline Scores StepsOf(const std::vector<Scored>& scored) {
  ScoreHistogram histogram;
  for (const Scored& s : scored) histogram.Add(static_cast<float>(s.z), s.truth);
  return histogram.Steps();
}

}  // namespace skinmask::testing
