// Round numbers along an axis.
#pragma once

#include <string>
#include <vector>

namespace skinmask {

// The multiples of 1, 2 or 5 times a power of ten from `low` to `high`, at most so many, which are
// at least 2.
struct Ticks {
  Ticks(double low, double high, int most);

  std::vector<double> values;
  int decimals = 0;  // that tell them apart

  std::string Text(double value) const;
};

}  // namespace skinmask
