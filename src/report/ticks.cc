#include "report/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace skinmask {

Ticks::Ticks(double low, double high, int most) {
  if (!(low < high)) return;
  const double power = std::floor(std::log10((high - low) / most));
  constexpr double kSlack = 1e-9;  // of a step, for ends that are multiples but for rounding
  for (const double digit : {1, 2, 5, 10}) {
    const double step = digit * std::pow(10, power);
    const double first = std::ceil(low / step - kSlack), last = std::floor(high / step + kSlack);
    if (last - first + 1 > most) continue;
    for (double i = first; i <= last; ++i) values.push_back(i * step);
    decimals = std::max(0, -static_cast<int>(power) - (digit == 10 ? 1 : 0));
    return;
  }
}

std::string Ticks::Text(double value) const {
  constexpr int kMaxDecimals = 6;
  if (decimals > kMaxDecimals) return fmt::format("{:.3g}", value);
  return fmt::format("{:.{}f}", value == 0 ? 0. : value, decimals);
}

}  // namespace skinmask
