// A calibration curve in words, for `calibrate` and `show`.
#pragma once

#include <fmt/format.h>

#include <string>

#include "skinmask/model/model.h"

namespace skinmask::cli {

// "times 0.25", "0.8, and times 0.2 to 2, 0.6 to 4, 0.1 beyond".
inline std::string SideWords(const CalibrationSide& side) {
  std::string words = side.jump > 0 ? fmt::format("{:g}, and times", side.jump) : "times";
  for (std::size_t k = 0; k < side.lines.size(); ++k) {
    words += fmt::format("{} {:g}", k == 0 ? "" : ",", side.lines[k].slope);
    if (k + 1 < side.lines.size())
      words += fmt::format(" to {:g}", side.lines[k + 1].from);
    else if (k > 0)
      words += " beyond";
  }
  return words;
}

inline std::string CurveWords(const CalibrationCurve& curve) {
  return fmt::format("below {}; above {}", SideWords(curve.below), SideWords(curve.above));
}

}  // namespace skinmask::cli
