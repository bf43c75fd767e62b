#include "model/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/quadratic_rows.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "base/exp_log-inl.h"
#include "model/quadratic-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::rows::HWY_NAMESPACE {

struct IsNegative : OfChannels {
  static constexpr bool kAllBytes = true;
  FloatQuadratic q;
  HWY_INLINE Words operator()(Floats b, Floats g, Floats r) const {
    return SignMask(Evaluate(q, b, g, r));
  }
};

struct IsNegativeOne : OfChannels {
  static constexpr bool kAllBytes = false;
  FloatQuadratic q;
  HWY_INLINE Words operator()(Floats b, Floats g, Floats r) const {
    return hn::ShiftRight<31>(Bits(Evaluate(q, b, g, r)));
  }
};

struct LogisticByte : OfChannels {
  static constexpr bool kAllBytes = false;
  FloatQuadratic q;
  HWY_INLINE Words operator()(Floats b, Floats g, Floats r) const {
    return LogisticByteOf(Evaluate(q, b, g, r));
  }
};

struct LogisticFloat : OfChannels {
  FloatQuadratic q;
  HWY_INLINE Floats operator()(Floats b, Floats g, Floats r) const {
    return hn::Div(Float(1), hn::Add(Float(1), Exp2(Evaluate(q, b, g, r))));
  }
};

struct Value : OfChannels {
  FloatQuadratic q;
  HWY_INLINE Floats operator()(Floats b, Floats g, Floats r) const { return Evaluate(q, b, g, r); }
};

void MaskOfQuadratic(const FloatQuadratic& q, const std::uint8_t* bgr, std::size_t count,
                     std::uint8_t* mask) {
  BgrRow(IsNegative{{}, q}, bgr, count, mask);
}
void BytesOfQuadratic(const FloatQuadratic& q, const std::uint8_t* bgr, std::size_t count,
                      std::uint8_t* probability) {
  BgrRow(LogisticByte{{}, q}, bgr, count, probability);
}
void FloatsOfQuadratic(const FloatQuadratic& q, const std::uint8_t* bgr, std::size_t count,
                       float* probability) {
  BgrRow(LogisticFloat{{}, q}, bgr, count, probability);
}
void OnesOfQuadratic(const FloatQuadratic& q, const std::uint8_t* bgr, std::size_t count,
                     std::uint8_t* one) {
  BgrRow(IsNegativeOne{{}, q}, bgr, count, one);
}
void ValuesOfQuadratic(const FloatQuadratic& q, const std::uint8_t* bgr, std::size_t count,
                       float* value) {
  BgrRow(Value{{}, q}, bgr, count, value);
}

}  // namespace skinmask::rows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skinmask::rows {

HWY_EXPORT(MaskOfQuadratic);
HWY_EXPORT(BytesOfQuadratic);
HWY_EXPORT(FloatsOfQuadratic);
HWY_EXPORT(OnesOfQuadratic);
HWY_EXPORT(ValuesOfQuadratic);

void QuadraticMask(const FloatQuadratic& q, const std::uint8_t* bgr, std::size_t count,
                   std::uint8_t* mask) {
  HWY_DYNAMIC_DISPATCH(MaskOfQuadratic)(q, bgr, count, mask);
}
void QuadraticProbability(const FloatQuadratic& q, const std::uint8_t* bgr, std::size_t count,
                          std::uint8_t* probability) {
  HWY_DYNAMIC_DISPATCH(BytesOfQuadratic)(q, bgr, count, probability);
}
void QuadraticProbability(const FloatQuadratic& q, const std::uint8_t* bgr, std::size_t count,
                          float* probability) {
  HWY_DYNAMIC_DISPATCH(FloatsOfQuadratic)(q, bgr, count, probability);
}
void QuadraticIsNegative(const FloatQuadratic& q, const std::uint8_t* bgr, std::size_t count,
                         std::uint8_t* one) {
  HWY_DYNAMIC_DISPATCH(OnesOfQuadratic)(q, bgr, count, one);
}
void QuadraticValue(const FloatQuadratic& q, const std::uint8_t* bgr, std::size_t count,
                    float* value) {
  HWY_DYNAMIC_DISPATCH(ValuesOfQuadratic)(q, bgr, count, value);
}

}  // namespace skinmask::rows
#endif
