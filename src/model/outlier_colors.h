// Outliers of models that no arithmetic form fits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "model/color_memo.h"
#include "skinmask/model/outliers.h"

namespace skinmask {

// Whether a class explains features.
using Explains = std::function<bool(const double* f)>;

class Outliers::ByColor {
 public:
  ByColor(const Model& model, std::vector<Explains> explanations);

  std::size_t explanation_count() const { return explanations_.size(); }
  // Of at most ColorMemo::kBlock pixels, what none of the classes explains.
  void Judge(const std::uint8_t* bgr, std::size_t count, bool* outlier) const noexcept;
  // As Outliers::Row; each colour is judged once.
  void Row(const std::uint8_t* bgr, std::size_t count, std::uint8_t* outlier) const noexcept;

 private:
  const ColorSpace* space_;
  FeatureMatrix matrix_;
  FeatureVector offset_;
  std::vector<Explains> explanations_;
  ColorMemo memo_;
};

}  // namespace skinmask
