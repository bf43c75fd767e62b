#include "learn/softmax_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "learn/softmax_rows.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "base/doubles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace {

void SoftmaxRowsHere(double* scores, std::size_t classes, std::size_t stride, std::size_t count,
                     double* log_sum) {
  constexpr double kLog2E = 0x1.71547652b82fep+0;
  for (std::size_t at = 0; at < count; at += kDoubleLanes) {
    Doubles greatest = LoadAt(scores + at);
    for (std::size_t k = 1; k < classes; ++k)
      greatest = hn::Max(greatest, LoadAt(scores + k * stride + at));
    Doubles sum = Double(0);
    for (std::size_t k = 0; k < classes; ++k) {
      double* const score = scores + k * stride + at;
      const Doubles power = Exp2(hn::Mul(hn::Sub(LoadAt(score), greatest), Double(kLog2E)));
      StoreAt(power, score);
      sum = hn::Add(sum, power);
    }
    for (std::size_t k = 0; k < classes; ++k) {
      double* const power = scores + k * stride + at;
      StoreAt(hn::Div(LoadAt(power), sum), power);
    }
    StoreAt(hn::Add(greatest, Log(sum)), log_sum + at);
  }
}

}  // namespace
}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skinmask {

HWY_EXPORT(SoftmaxRowsHere);

void SoftmaxRows(double* scores, std::size_t classes, std::size_t stride, std::size_t count,
                 double* log_sum) {
  HWY_DYNAMIC_DISPATCH(SoftmaxRowsHere)(scores, classes, stride, count, log_sum);
}

}  // namespace skinmask
#endif
