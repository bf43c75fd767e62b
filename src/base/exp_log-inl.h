// Here are powers of two and logarithms of vectors, for the CPU target that is being compiled: sums
// and products only, so that every target gives the same bits. docs/math.md has the error bounds.
#if defined(SKINMASK_EXP_LOG_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SKINMASK_EXP_LOG_INL_H_
#undef SKINMASK_EXP_LOG_INL_H_
#else
#define SKINMASK_EXP_LOG_INL_H_
#endif

#include "base/pixels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {

// x + kRound has the bits of kRound plus those of the integer nearest to x, for |x| < 2^22.
constexpr float kRound = 0x1.8p23f;

constexpr float kLn2 = 0x1.62e43p-1f;

// 2^x to a relative error of kExp2Error; x below -126 and above 126 counts as that.
HWY_INLINE Floats Exp2(Floats x) {
  x = hn::Min(hn::Max(x, Float(-126)), Float(126));
  const Floats shifted = hn::Add(x, Float(kRound));
  const Floats f = hn::Sub(x, hn::Sub(shifted, Float(kRound)));  // in [-1/2, 1/2], exact
  // Of degree 5, with the least relative error on [-1/2, 1/2] (Remez): 7.5e-8.
  Floats p =
      hn::Add(Float(0x1.c6b6e4p-5f),
              hn::Mul(f, hn::Add(Float(0x1.3d0c52p-7f), hn::Mul(f, Float(0x1.5c08e6p-10f)))));
  p = hn::Add(Float(0x1.62e428p-1f), hn::Mul(f, hn::Add(Float(0x1.ebf918p-3f), hn::Mul(f, p))));
  p = hn::Add(Float(0x1.000002p+0f), hn::Mul(f, p));
  // Times 2^integer: added to the exponent. The bits of kRound itself fall off at the top.
  return hn::BitCast(FloatTag(), hn::Add(Bits(p), hn::ShiftLeft<23>(Bits(shifted))));
}

// ln(x) of normal x > 0: x = 2^k (1 + f), 1 + f in [sqrt(1/2), sqrt(2)), and with s = f / (2 + f)
//   ln(1 + f) = 2 artanh(s) = 2 s (1 + s^2/3 + s^4/5 + s^6/7 + s^8/9 + ...),  s^2 < 0.0295,
// where the terms left out are below 2.1e-9 of the sum.
HWY_INLINE Floats Log(Floats x) {
  const Words above = hn::Sub(Bits(x), Word(0x3F3504F3u));  // less sqrt(1/2)
  const auto k = hn::ConvertTo(FloatTag(), hn::ShiftRight<23>(hn::BitCast(IntTag(), above)));
  const Words mantissa = hn::Add(hn::And(above, Word(0x007FFFFFu)), Word(0x3F3504F3u));
  const Floats f = hn::Sub(hn::BitCast(FloatTag(), mantissa), Float(1));  // exact
  const Floats s = hn::Div(f, hn::Add(f, Float(2)));
  const Floats s2 = hn::Mul(s, s);
  Floats p = hn::Add(Float(1.f / 7), hn::Mul(s2, Float(1.f / 9)));
  p = hn::Add(Float(1.f / 3), hn::Mul(s2, hn::Add(Float(1.f / 5), hn::Mul(s2, p))));
  const Floats twice = hn::Add(s, s);
  const Floats of_f = hn::Add(twice, hn::Mul(twice, hn::Mul(s2, p)));
  return hn::Add(hn::Mul(k, Float(kLn2)), of_f);
}

// round(255 q), 0 <= q <= 1, from 255 q: the low byte of the sum's bits.
HWY_INLINE Words RoundedByte(Floats x) { return Bits(hn::Add(x, Float(0x1p23f))); }

}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
