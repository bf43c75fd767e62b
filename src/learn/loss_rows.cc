#include "learn/loss_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "learn/loss_rows.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "base/doubles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace {

// With e = exp(-|z|), which cannot overflow, and m = z of the positive class, -z of the others:
//   |P - truth| = (m < 0 ? 1 : e) / (1 + e),   -log P(truth) = log(1 + e) - min(m, 0).
void Losses(const double* z, const double* truth, std::size_t count, double* squared_error,
            double* log_loss) {
  constexpr double kLog2E = 0x1.71547652b82fep+0, kFixedPoint = 0x1p32, kMax = 0x1p18;
  for (std::size_t i = 0; i < count; i += kDoubleLanes) {
    // What is no number, as an absurd model gives, is as wrong as can be.
    const Doubles product = hn::Mul(LoadAt(z + i), LoadAt(truth + i));
    const Doubles m = hn::IfThenElse(hn::Eq(product, product), product, Double(-1e300));
    const Doubles e = Exp2(hn::Mul(hn::Abs(m), Double(-kLog2E)));
    const Doubles whole = hn::Add(Double(1), e);
    const Doubles error = hn::Div(hn::IfThenElse(hn::Lt(m, Double(0)), Double(1), e), whole);
    const Doubles loss = hn::Sub(Log(whole), hn::Min(m, Double(0)));
    StoreAt(Rounded(hn::Mul(hn::Mul(error, error), Double(kFixedPoint))), squared_error + i);
    StoreAt(Rounded(hn::Mul(hn::Min(loss, Double(kMax)), Double(kFixedPoint))), log_loss + i);
  }
}

}  // namespace
}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skinmask {

HWY_EXPORT(Losses);

void LossRow(const double* z, const double* truth, std::size_t count, double* squared_error,
             double* log_loss) {
  HWY_DYNAMIC_DISPATCH(Losses)(z, truth, count, squared_error, log_loss);
}

}  // namespace skinmask
#endif
