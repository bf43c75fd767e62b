#include "detect/log_odds_rows.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "detect/log_odds_rows.cc"
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

struct Probability {  // round(255 / (1 + 2^(-z / ln 2)))
  HWY_INLINE Words operator()(Floats z) const {
    return hn::And(LogisticByte()(hn::Mul(z, Float(-0x1.715476p+0f))), Word(0xFF));
  }
};

// The lowest bytes of a vector of words, which have nothing above them.
HWY_INLINE void StoreBytes(Words words, std::uint8_t* out) {
#if HWY_TARGET == HWY_SCALAR
  *out = static_cast<std::uint8_t>(hn::GetLane(words));
#else
  const hn::Rebind<std::uint8_t, WordTag> bytes;
  hn::StoreU(hn::DemoteTo(bytes, hn::BitCast(IntTag(), words)), bytes, out);
#endif
}

template <class Kernel>
void ByteRow(const Kernel& kernel, const float* z, std::size_t count, std::uint8_t* out) {
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    StoreBytes(kernel(hn::LoadU(FloatTag(), z + i)), out + i);
  if (i == count) return;
  float in[kLanes] = {};
  std::uint8_t bytes[kLanes];
  std::memcpy(in, z + i, (count - i) * sizeof(float));
  StoreBytes(kernel(hn::LoadU(FloatTag(), in)), bytes);
  std::memcpy(out + i, bytes, count - i);
}

void MaskRow(const float* z, std::size_t count, float threshold, std::uint8_t* mask) {
  ByteRow(Above{threshold}, z, count, mask);
}
void ProbabilityRow(const float* z, std::size_t count, std::uint8_t* probability) {
  ByteRow(Probability(), z, count, probability);
}

}  // namespace
}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skinmask {

HWY_EXPORT(MaskRow);
HWY_EXPORT(ProbabilityRow);

void MaskRowOf(const float* z, std::size_t count, float threshold, std::uint8_t* mask) {
  HWY_DYNAMIC_DISPATCH(MaskRow)(z, count, threshold, mask);
}

void ProbabilityRowOf(const float* z, std::size_t count, std::uint8_t* probability) {
  HWY_DYNAMIC_DISPATCH(ProbabilityRow)(z, count, probability);
}

}  // namespace skinmask
#endif
