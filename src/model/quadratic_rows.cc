// CompiledQuadratic's row functions.
#include "skinmask/model/quadratic.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/quadratic_rows.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "model/quadratic-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace {

template <class OfValue>
struct OfQuadratic : OfChannels, OfValue {
  FloatQuadratic q;
  HWY_INLINE auto operator()(Floats b, Floats g, Floats r) const {
    return OfValue::operator()(Evaluate(q, b, g, r));
  }
};

template <class OfValue, class T>
void QuadraticRow(const FloatQuadratic& q, const std::uint8_t* bgr, std::size_t count, T* out) {
  BgrRow(OfQuadratic<OfValue>{{}, {}, q}, bgr, count, out);
}

constexpr auto& MaskRow = QuadraticRow<SignMask, std::uint8_t>;
constexpr auto& ClassRow = QuadraticRow<SignBit, std::uint8_t>;
constexpr auto& ProbabilityByteRow = QuadraticRow<LogisticByte, std::uint8_t>;
constexpr auto& ProbabilityRow = QuadraticRow<LogisticFloat, float>;
constexpr auto& LogOddsRow = QuadraticRow<Value, float>;

}  // namespace
}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skinmask {

HWY_EXPORT(MaskRow);
HWY_EXPORT(ClassRow);
HWY_EXPORT(ProbabilityByteRow);
HWY_EXPORT(ProbabilityRow);
HWY_EXPORT(LogOddsRow);

void CompiledQuadratic::MaskRow(const std::uint8_t* bgr, std::size_t count,
                                std::uint8_t* mask) const noexcept {
  HWY_DYNAMIC_DISPATCH(MaskRow)(below_threshold_, bgr, count, mask);
}

void CompiledQuadratic::ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
                                       std::uint8_t* probability) const noexcept {
  HWY_DYNAMIC_DISPATCH(ProbabilityByteRow)(log2_against_, bgr, count, probability);
}

void CompiledQuadratic::ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
                                       float* probability) const noexcept {
  HWY_DYNAMIC_DISPATCH(ProbabilityRow)(log2_against_, bgr, count, probability);
}

void CompiledQuadratic::LogOddsRow(const std::uint8_t* bgr, std::size_t count,
                                   float* z) const noexcept {
  HWY_DYNAMIC_DISPATCH(LogOddsRow)(log_odds_, bgr, count, z);
}

void CompiledQuadratic::ClassRow(const std::uint8_t* bgr, std::size_t count,
                                 std::uint8_t* index) const noexcept {
  HWY_DYNAMIC_DISPATCH(ClassRow)(log_odds_, bgr, count, index);
}

}  // namespace skinmask
#endif
