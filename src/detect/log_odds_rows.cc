#include "detect/log_odds_rows.h"

#include <cstring>

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "model/quadratic-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace {

struct Above {  // 255 where z is above the threshold, else 0
  float threshold;
  HWY_INLINE Words operator()(Floats z) const {
    return hn::And(Bits(hn::VecFromMask(FloatTag(), hn::Gt(z, Float(threshold)))), Word(0xFF));
  }
};

// P = 1 / (1 + 2^(-z / ln 2)): round(255 P), round(65535 P), or the bits of P.
template <class T>
struct ProbabilityIn {
  HWY_INLINE Words operator()(Floats z) const {
    const Floats x = hn::Mul(z, Float(-0x1.715476p+0f));
    if constexpr (sizeof(T) == 1) return hn::And(LogisticByte()(x), Word(0xFF));
    const Floats p = LogisticFloat()(x);
    if constexpr (sizeof(T) == 4) return Bits(p);
    return hn::And(Bits(hn::Add(hn::Mul(p, Float(65535)), Float(0x1p23f))), Word(0xFFFF));
  }
};

// Stores the lowest bits of a vector of words, whose other bits are 0.
template <class T>
HWY_INLINE void StoreLow(Words words, T* out) {
#if HWY_TARGET == HWY_SCALAR
  *out = static_cast<T>(hn::GetLane(words));
#else
  const hn::Rebind<T, WordTag> tag;
  hn::StoreU(hn::DemoteTo(tag, hn::BitCast(IntTag(), words)), tag, out);
#endif
}

HWY_INLINE void StoreLow(Words words, float* out) {
  hn::StoreU(hn::BitCast(FloatTag(), words), FloatTag(), out);
}

template <class Kernel, class T>
void RowOf(const Kernel& kernel, const float* z, std::size_t count, T* out) {
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) StoreLow(kernel(hn::LoadU(FloatTag(), z + i)), out + i);
  if (i == count) return;
  float in[kLanes] = {};
  T last[kLanes];
  std::memcpy(in, z + i, (count - i) * sizeof(float));
  StoreLow(kernel(hn::LoadU(FloatTag(), in)), last);
  std::memcpy(out + i, last, (count - i) * sizeof(T));
}

void MaskRow(const float* z, std::size_t count, float threshold, std::uint8_t* mask) {
  RowOf(Above{threshold}, z, count, mask);
}
template <class T>
void ProbabilityRow(const float* z, std::size_t count, T* probability) {
  RowOf(ProbabilityIn<T>(), z, count, probability);
}

constexpr auto& ByteRow = ProbabilityRow<std::uint8_t>;
constexpr auto& DeepRow = ProbabilityRow<std::uint16_t>;
constexpr auto& FloatRow = ProbabilityRow<float>;

}  // namespace
}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skinmask {

void MaskRowOf(const float* z, std::size_t count, float threshold, std::uint8_t* mask) {
  SKINMASK_DISPATCH(MaskRow)(z, count, threshold, mask);
}

void ProbabilityRowOf(const float* z, std::size_t count, std::uint8_t* probability) {
  SKINMASK_DISPATCH(ByteRow)(z, count, probability);
}

void ProbabilityRowOf(const float* z, std::size_t count, std::uint16_t* probability) {
  SKINMASK_DISPATCH(DeepRow)(z, count, probability);
}

void ProbabilityRowOf(const float* z, std::size_t count, float* probability) {
  SKINMASK_DISPATCH(FloatRow)(z, count, probability);
}

}  // namespace skinmask
#endif
