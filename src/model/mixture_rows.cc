#include "model/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/mixture_rows.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "base/exp_log-inl.h"
#include "model/quadratic-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::rows::HWY_NAMESPACE {

// u_k of a block's four vectors, and the largest of the positives' and of the others'.
struct Ratios {
  Floats u[MixtureView::kMaxCount][4];
  Floats positive[4], other[4];

  HWY_INLINE Ratios(const MixtureView& m, const Four<Floats>& b, const Four<Floats>& g,
                    const Four<Floats>& r) {
    for (std::size_t j = 0; j < 4; ++j) {
      u[0][j] = positive[j] = Float(0);
      other[j] = Float(-3e38f);
    }
    for (std::size_t k = 1; k < m.positives; ++k) {
      Component(m.u[k], b, g, r, u[k]);
      for (std::size_t j = 0; j < 4; ++j) positive[j] = hn::Max(positive[j], u[k][j]);
    }
    for (std::size_t k = m.positives; k < m.count; ++k) {
      Component(m.u[k], b, g, r, u[k]);
      for (std::size_t j = 0; j < 4; ++j) other[j] = hn::Max(other[j], u[k][j]);
    }
  }

  // Sum of 2^(u_k - shift) over components first .. last - 1 of vector j.
  HWY_INLINE Floats Sum(std::size_t first, std::size_t last, std::size_t j, Floats shift) const {
    Floats sum = Exp2(hn::Sub(u[first][j], shift));
    for (std::size_t k = first + 1; k < last; ++k)
      sum = hn::Add(sum, Exp2(hn::Sub(u[k][j], shift)));
    return sum;
  }

 private:
  HWY_INLINE static void Component(const FloatQuadratic& q, const Four<Floats>& b,
                                   const Four<Floats>& g, const Four<Floats>& r, Floats* value) {
    value[0] = Evaluate(q, b.a0, g.a0, r.a0);
    value[1] = Evaluate(q, b.a1, g.a1, r.a1);
    value[2] = Evaluate(q, b.a2, g.a2, r.a2);
    value[3] = Evaluate(q, b.a3, g.a3, r.a3);
  }
};

// An answer per block from one per vector.
template <class Answer>
struct PerVector : OfBlock {
  MixtureView m;
  HWY_INLINE auto operator()(const Four<Floats>& b, const Four<Floats>& g,
                             const Four<Floats>& r) const {
    const Ratios ratios(m, b, g, r);
    const Answer answer{m};
    using V = decltype(answer(ratios, 0));
    return Four<V>{answer(ratios, 0), answer(ratios, 1), answer(ratios, 2), answer(ratios, 3)};
  }
};

// n terms, the greatest of them 1, sum to at most n. So where the greatest terms of both sides are
// further apart than by the count of the other's, they decide, and the sums need not be taken: the
// answer is the same, as the hundredth kept in hand is far beyond the sums' error.
struct PositiveIsGreater {
  const MixtureView& m;
  HWY_INLINE Words operator()(const Ratios& ratios, std::size_t j) const {
    constexpr float kInHand = 0.01f;
    const Floats lead = hn::Sub(ratios.positive[j], ratios.other[j]);
    const float others = Log2(m.count - m.positives) + kInHand;
    const float positives = Log2(m.positives) + kInHand;
    auto greater = hn::Gt(lead, Float(0));
    const auto open = hn::And(hn::Lt(lead, Float(others)), hn::Gt(lead, Float(-positives)));
    if (HWY_UNLIKELY(!hn::AllFalse(FloatTag(), open))) {
      const Floats shift = hn::Max(ratios.positive[j], ratios.other[j]);
      greater =
          hn::Gt(ratios.Sum(0, m.positives, j, shift), ratios.Sum(m.positives, m.count, j, shift));
    }
    return Bits(hn::VecFromMask(FloatTag(), greater));
  }
  // At least the binary logarithm of 1 .. kMaxCount.
  static float Log2(std::size_t n) {
    static constexpr auto kLog2 = [] {
      std::array<float, MixtureView::kMaxCount + 1> table{};
      for (std::size_t i = 2; i < table.size(); ++i) table[i] = table[(i + 1) / 2] + 1;
      return table;
    }();
    return kLog2[n];
  }
};

struct Share {
  const MixtureView& m;
  HWY_INLINE Floats operator()(const Ratios& ratios, std::size_t j) const {
    const Floats shift = hn::Max(ratios.positive[j], ratios.other[j]);
    const Floats positive = ratios.Sum(0, m.positives, j, shift);
    const Floats other = ratios.Sum(m.positives, m.count, j, shift);
    return hn::Div(positive, hn::Add(positive, other));
  }
};

struct ShareByte {
  const MixtureView& m;
  HWY_INLINE Words operator()(const Ratios& ratios, std::size_t j) const {
    return RoundedByte(hn::Mul(Float(255), Share{m}(ratios, j)));
  }
};

struct LogOdds {
  const MixtureView& m;
  HWY_INLINE Floats operator()(const Ratios& ratios, std::size_t j) const {
    const Floats positive = Log(ratios.Sum(0, m.positives, j, ratios.positive[j]));
    const Floats other = Log(ratios.Sum(m.positives, m.count, j, ratios.other[j]));
    const Floats lead = hn::Sub(ratios.positive[j], ratios.other[j]);
    return hn::Add(hn::Mul(lead, Float(0x1.62e43p-1f)), hn::Sub(positive, other));
  }
};

struct GreatestClass {
  const MixtureView& m;
  HWY_INLINE Words operator()(const Ratios& ratios, std::size_t j) const {
    const Floats shift = hn::Max(ratios.positive[j], ratios.other[j]);
    Floats greatest = Float(-3e38f);
    Words answer = Word(0);
    for (std::size_t first = 0, last; first < m.count; first = last) {
      for (last = first + 1; last < m.count && m.classes[last] == m.classes[first];) ++last;
      const Floats sum = m.one_each ? ratios.u[first][j] : ratios.Sum(first, last, j, shift);
      const auto greater = hn::RebindMask(WordTag(), hn::Gt(sum, greatest));
      answer = hn::IfThenElse(greater, Word(m.classes[first]), answer);
      greatest = hn::Max(greatest, sum);
    }
    return answer;
  }
};

template <class Answer>
struct Masks : PerVector<Answer> {
  static constexpr bool kAllBytes = true;
};
template <class Answer>
struct Bytes : PerVector<Answer> {
  static constexpr bool kAllBytes = false;
};

void MaskOfMixture(const MixtureView& m, const std::uint8_t* bgr, std::size_t count,
                   std::uint8_t* mask) {
  BgrRow(Masks<PositiveIsGreater>{{{}, m}}, bgr, count, mask);
}
void BytesOfMixture(const MixtureView& m, const std::uint8_t* bgr, std::size_t count,
                    std::uint8_t* probability) {
  BgrRow(Bytes<ShareByte>{{{}, m}}, bgr, count, probability);
}
void FloatsOfMixture(const MixtureView& m, const std::uint8_t* bgr, std::size_t count,
                     float* probability) {
  BgrRow(PerVector<Share>{{}, m}, bgr, count, probability);
}
void LogOddsOfMixture(const MixtureView& m, const std::uint8_t* bgr, std::size_t count, float* z) {
  BgrRow(PerVector<LogOdds>{{}, m}, bgr, count, z);
}
void ClassOfMixture(const MixtureView& m, const std::uint8_t* bgr, std::size_t count,
                    std::uint8_t* index) {
  BgrRow(Bytes<GreatestClass>{{{}, m}}, bgr, count, index);
}

// count is a multiple of every target's lanes here.
void Exp2OfRow(const float* x, std::size_t count, float* y) {
  for (std::size_t i = 0; i < count; i += kLanes)
    hn::StoreU(Exp2(hn::LoadU(FloatTag(), x + i)), FloatTag(), y + i);
}
void LogOfRow(const float* x, std::size_t count, float* y) {
  for (std::size_t i = 0; i < count; i += kLanes)
    hn::StoreU(Log(hn::LoadU(FloatTag(), x + i)), FloatTag(), y + i);
}

}  // namespace skinmask::rows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skinmask::rows {

HWY_EXPORT(MaskOfMixture);
HWY_EXPORT(BytesOfMixture);
HWY_EXPORT(FloatsOfMixture);
HWY_EXPORT(LogOddsOfMixture);
HWY_EXPORT(ClassOfMixture);
HWY_EXPORT(Exp2OfRow);
HWY_EXPORT(LogOfRow);

void MixtureMask(const MixtureView& m, const std::uint8_t* bgr, std::size_t count,
                 std::uint8_t* mask) {
  HWY_DYNAMIC_DISPATCH(MaskOfMixture)(m, bgr, count, mask);
}
void MixtureProbability(const MixtureView& m, const std::uint8_t* bgr, std::size_t count,
                        std::uint8_t* probability) {
  HWY_DYNAMIC_DISPATCH(BytesOfMixture)(m, bgr, count, probability);
}
void MixtureProbability(const MixtureView& m, const std::uint8_t* bgr, std::size_t count,
                        float* probability) {
  HWY_DYNAMIC_DISPATCH(FloatsOfMixture)(m, bgr, count, probability);
}
void MixtureLogOdds(const MixtureView& m, const std::uint8_t* bgr, std::size_t count, float* z) {
  HWY_DYNAMIC_DISPATCH(LogOddsOfMixture)(m, bgr, count, z);
}
void MixtureClass(const MixtureView& m, const std::uint8_t* bgr, std::size_t count,
                  std::uint8_t* index) {
  HWY_DYNAMIC_DISPATCH(ClassOfMixture)(m, bgr, count, index);
}
void Exp2Row(const float* x, std::size_t count, float* y) {
  HWY_DYNAMIC_DISPATCH(Exp2OfRow)(x, count, y);
}
void LogRow(const float* x, std::size_t count, float* y) {
  HWY_DYNAMIC_DISPATCH(LogOfRow)(x, count, y);
}

}  // namespace skinmask::rows
#endif
