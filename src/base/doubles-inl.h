// Vectors of doubles, with powers of two and logarithms, for the CPU target that is being compiled.
// Only sums, products and quotients are used, so that every target gives the same bits.
// docs/math.md has the error bounds.
#if defined(SKINMASK_DOUBLES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SKINMASK_DOUBLES_INL_H_
#undef SKINMASK_DOUBLES_INL_H_
#else
#define SKINMASK_DOUBLES_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "base/dispatch.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DoubleTag = hn::ScalableTag<double>;
using LongTag = hn::RebindToUnsigned<DoubleTag>;
using Doubles = hn::Vec<DoubleTag>;
using Longs = hn::Vec<LongTag>;

constexpr std::size_t kDoubleLanes = hn::MaxLanes(DoubleTag());

HWY_INLINE Doubles Double(double x) { return hn::Set(DoubleTag(), x); }
HWY_INLINE Doubles LoadAt(const double* at) { return hn::LoadU(DoubleTag(), at); }
HWY_INLINE void StoreAt(Doubles x, double* at) { hn::StoreU(x, DoubleTag(), at); }
HWY_INLINE Longs Long(std::uint64_t x) { return hn::Set(LongTag(), x); }
HWY_INLINE Longs LongBits(Doubles x) { return hn::BitCast(LongTag(), x); }

// a + b x
HWY_INLINE Doubles Linear(double a, Doubles b, Doubles x) {
  return hn::Add(Double(a), hn::Mul(b, x));
}

// x + kRoundDouble has its bits plus those of the integer nearest to x, for |x| < 2^51.
constexpr double kRoundDouble = 0x1.8p52;

HWY_INLINE Doubles Rounded(Doubles x) {
  return hn::Sub(hn::Add(x, Double(kRoundDouble)), Double(kRoundDouble));
}

// 2^x; x is clamped to [-1000, 1000]. With n the integer nearest to x and f = x - n in [-1/2, 1/2],
// 2^f is the Taylor polynomial of degree 12 in f ln 2, whose remainder is below 2e-16.
HWY_INLINE Doubles Exp2(Doubles x) {
  x = hn::Min(hn::Max(x, Double(-1000)), Double(1000));
  const Doubles shifted = hn::Add(x, Double(kRoundDouble));
  const Doubles f = hn::Sub(x, hn::Sub(shifted, Double(kRoundDouble)));  // exact
  // (ln 2)^k / k!
  Doubles p = Linear(4.44553827187081e-10, Double(2.5678435993488196e-11), f);
  p = Linear(7.054911620801121e-09, p, f);
  p = Linear(1.0178086009239696e-07, p, f);
  p = Linear(1.3215486790144305e-06, p, f);
  p = Linear(1.5252733804059838e-05, p, f);
  p = Linear(0.00015403530393381606, p, f);
  p = Linear(0.0013333558146428443, p, f);
  p = Linear(0.009618129107628477, p, f);
  p = Linear(0.05550410866482158, p, f);
  p = Linear(0.2402265069591007, p, f);
  p = Linear(0.6931471805599453, p, f);
  p = Linear(1, p, f);
  // Multiplies by 2^n by adding n to the exponent. The shift drops the bits of kRoundDouble itself.
  return hn::BitCast(DoubleTag(), hn::Add(LongBits(p), hn::ShiftLeft<52>(LongBits(shifted))));
}

// ln x of x >= 1: x = 2^k (1 + f), 1 + f in [sqrt(1/2), sqrt(2)), and with s = f / (2 + f)
//   ln(1 + f) = 2 artanh(s) = 2 s (1 + s^2/3 + s^4/5 + ...),  s^2 < 0.0295,
// where the terms left out are below 2e-17 of the sum.
HWY_INLINE Doubles Log(Doubles x) {
  constexpr std::uint64_t kRootHalf = 0x3FE6A09E667F3BCD;
  constexpr double kLn2 = 0x1.62e42fefa39efp-1, kCount = 0x1p52;
  const Longs above = hn::Sub(LongBits(x), Long(kRootHalf));
  // k as a double: it is put into the low bits of 2^52.
  const Longs count = hn::Add(hn::ShiftRight<52>(above), LongBits(Double(kCount)));
  const Doubles k = hn::Sub(hn::BitCast(DoubleTag(), count), Double(kCount));
  const Longs mantissa = hn::Add(hn::And(above, Long(0x000FFFFFFFFFFFFF)), Long(kRootHalf));
  const Doubles f = hn::Sub(hn::BitCast(DoubleTag(), mantissa), Double(1));  // exact
  const Doubles s = hn::Div(f, hn::Add(f, Double(2)));
  const Doubles s2 = hn::Mul(s, s);
  Doubles p = Linear(1. / 19, Double(1. / 21), s2);
  p = Linear(1. / 17, p, s2);
  p = Linear(1. / 15, p, s2);
  p = Linear(1. / 13, p, s2);
  p = Linear(1. / 11, p, s2);
  p = Linear(1. / 9, p, s2);
  p = Linear(1. / 7, p, s2);
  p = Linear(1. / 5, p, s2);
  p = Linear(1. / 3, p, s2);
  const Doubles twice = hn::Add(s, s);
  return hn::Add(hn::Mul(k, Double(kLn2)), hn::Add(twice, hn::Mul(twice, hn::Mul(s2, p))));
}

}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
