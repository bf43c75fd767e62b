// Quadratics are evaluated at pixels, and masks and bytes made of their values, for the CPU target
// that is being compiled.
#if defined(SKINMASK_QUADRATIC_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SKINMASK_QUADRATIC_INL_H_
#undef SKINMASK_QUADRATIC_INL_H_
#else
#define SKINMASK_QUADRATIC_INL_H_
#endif

#include "base/pixels-inl.h"
#include "skinmask/model/quadratic.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {

// The quadratic by nested products. docs/math.md counts its roundings; keep the order.
HWY_INLINE Floats Evaluate(const FloatQuadratic& q, Floats b, Floats g, Floats r) {
  const Floats of_b =
      hn::Add(hn::Add(Float(q.linear[0]), hn::Mul(Float(q.product[0]), b)),
              hn::Add(hn::Mul(Float(q.product[1]), g), hn::Mul(Float(q.product[2]), r)));
  const Floats of_g = hn::Add(hn::Add(Float(q.linear[1]), hn::Mul(Float(q.product[3]), g)),
                              hn::Mul(Float(q.product[4]), r));
  const Floats of_r = hn::Add(Float(q.linear[2]), hn::Mul(Float(q.product[5]), r));
  return hn::Add(hn::Add(Float(q.constant), hn::Mul(b, of_b)),
                 hn::Add(hn::Mul(g, of_g), hn::Mul(r, of_r)));
}

// What the row functions make of a quadratic's value x.
struct SignMask {  // 255 where x < 0, else 0
  static constexpr bool kAllBytes = true;
  HWY_INLINE Words operator()(Floats x) const { return SignWords(x); }
};
struct SignBit {  // 1 where x < 0, else 0
  static constexpr bool kAllBytes = false;
  HWY_INLINE Words operator()(Floats x) const { return hn::ShiftRight<31>(Bits(x)); }
};
struct LogisticByte {  // round(255 / (1 + 2^x))
  static constexpr bool kAllBytes = false;
  HWY_INLINE Words operator()(Floats x) const {
    return RoundedByte(hn::Div(Float(255), hn::Add(Float(1), Exp2(x))));
  }
};
struct LogisticFloat {  // 1 / (1 + 2^x)
  HWY_INLINE Floats operator()(Floats x) const {
    return hn::Div(Float(1), hn::Add(Float(1), Exp2(x)));
  }
};
struct Value {  // x
  HWY_INLINE Floats operator()(Floats x) const { return x; }
};

}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
