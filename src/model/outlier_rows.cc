// Outliers' row functions.
#include "model/outlier_colors.h"
#include "model/table.h"
#include "skinmask/model/outliers.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/outlier_rows.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "model/quadratic-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace {

// 255 where no quadratic is below 0.
struct BeyondAll : OfChannels {
  static constexpr bool kAllBytes = true;
  const FloatQuadratic* beyond;
  std::size_t count;
  HWY_INLINE Words operator()(Floats b, Floats g, Floats r) const {
    Floats least = Evaluate(beyond[0], b, g, r);
    for (std::size_t k = 1; k < count; ++k) least = hn::Min(least, Evaluate(beyond[k], b, g, r));
    return hn::Not(SignWords(least));
  }
};

void BeyondRow(const FloatQuadratic* beyond, std::size_t quadratics, const std::uint8_t* bgr,
               std::size_t count, std::uint8_t* outlier) {
  BgrRow(BeyondAll{{}, beyond, quadratics}, bgr, count, outlier);
}

}  // namespace
}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skinmask {

HWY_EXPORT(BeyondRow);

void Outliers::Row(const std::uint8_t* bgr, std::size_t count,
                   std::uint8_t* outlier) const noexcept {
  if (by_color_)
    by_color_->Row(bgr, count, outlier);
  else if (bits_)
    BitOfColorRow(bits_->data(), bgr, count, outlier);
  else
    HWY_DYNAMIC_DISPATCH(BeyondRow)(beyond_.data(), beyond_.size(), bgr, count, outlier);
}

}  // namespace skinmask
#endif
