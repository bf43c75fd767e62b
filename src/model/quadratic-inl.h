// Evaluates quadratics, and mixtures of them, at pixels, and makes masks and bytes from the values,
// for the CPU target that is being compiled.
#if defined(SKINMASK_QUADRATIC_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SKINMASK_QUADRATIC_INL_H_
#undef SKINMASK_QUADRATIC_INL_H_
#else
#define SKINMASK_QUADRATIC_INL_H_
#endif

#include "base/pixels-inl.h"
#include "skinmask/model/mixture.h"
#include "skinmask/model/quadratic.h"

#ifndef SKINMASK_MIXTURE_VIEW_ONCE
#define SKINMASK_MIXTURE_VIEW_ONCE
namespace skinmask {

// A CompiledMixture for the row functions: components k = 0 .. count - 1 ordered by class, class 0
// first, as binary logarithms u_k of their ratios to component 0:  p_k / p_0 = 2^u_k.
struct MixtureView {
  std::size_t count;            // 2 .. CompiledMixture::kMaxComponents
  std::size_t positives;        // components of class 0, 1 .. count - 1
  const FloatQuadratic* u;      // count of them, the first 0
  const std::uint8_t* classes;  // of each component
  bool one_each;                // no class has two components
};

}  // namespace skinmask
#endif

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

// The functions of a quadratic's value x.
struct SignMask {  // 255 where x < 0, else 0
  static constexpr bool kAllBytes = true;
  HWY_INLINE Words operator()(Floats x) const { return SignWords(x); }
};
struct SignBit {  // 1 where x < 0, else 0
  HWY_INLINE Words operator()(Floats x) const { return hn::ShiftRight<31>(Bits(x)); }
};
struct LogisticByte {  // round(255 / (1 + 2^x))
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

// u_k of a block's four vectors, and the largest of the positives' and of the others'.
struct LogRatios {
  Floats u[CompiledMixture::kMaxComponents][4];
  Floats positive[4], other[4];

  HWY_INLINE LogRatios(const MixtureView& m, const FourVectors<Floats>& b,
                       const FourVectors<Floats>& g, const FourVectors<Floats>& r) {
    const Floats zero = Float(0), least = Float(-3e38f);
    Put({zero, zero, zero, zero}, u[0]);
    Put(Fill(m, 1, m.positives, b, g, r, {zero, zero, zero, zero}), positive);
    Put(Fill(m, m.positives, m.count, b, g, r, {least, least, least, least}), other);
  }

  // Sum of 2^(u_k - shift) over components first .. last - 1 of vector j.
  HWY_INLINE Floats Sum(std::size_t first, std::size_t last, std::size_t j, Floats shift) const {
    Floats sum = Exp2(hn::Sub(u[first][j], shift));
    for (std::size_t k = first + 1; k < last; ++k)
      sum = hn::Add(sum, Exp2(hn::Sub(u[k][j], shift)));
    return sum;
  }

 private:
  // u_k for components first .. last - 1; returns the greatest of them and of `greatest`.
  HWY_INLINE FourVectors<Floats> Fill(const MixtureView& m, std::size_t first, std::size_t last,
                                      const FourVectors<Floats>& b, const FourVectors<Floats>& g,
                                      const FourVectors<Floats>& r, FourVectors<Floats> greatest) {
    for (std::size_t k = first; k < last; ++k) {
      const FloatQuadratic& q = m.u[k];
      const FourVectors<Floats> of_k{Evaluate(q, b.v0, g.v0, r.v0), Evaluate(q, b.v1, g.v1, r.v1),
                                     Evaluate(q, b.v2, g.v2, r.v2), Evaluate(q, b.v3, g.v3, r.v3)};
      Put(of_k, u[k]);
      greatest.v0 = hn::Max(greatest.v0, of_k.v0);
      greatest.v1 = hn::Max(greatest.v1, of_k.v1);
      greatest.v2 = hn::Max(greatest.v2, of_k.v2);
      greatest.v3 = hn::Max(greatest.v3, of_k.v3);
    }
    return greatest;
  }
  HWY_INLINE static void Put(const FourVectors<Floats>& from, Floats* to) {
    to[0] = from.v0;
    to[1] = from.v1;
    to[2] = from.v2;
    to[3] = from.v3;
  }
};

}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
