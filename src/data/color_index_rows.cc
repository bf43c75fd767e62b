#include "data/color_index.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "data/color_index_rows.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "base/pixels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace {

struct ColorIndex : OfColor {
  HWY_INLINE Words operator()(Words c) const {  // r << 16 | g << 8 | b
    const auto field = [c](std::uint32_t bits) { return hn::And(c, Word(bits)); };
    const Words block =
        hn::Or(hn::Or(hn::ShiftLeft<16>(field(0xF8)), hn::ShiftLeft<3>(field(0xF800))),
               hn::ShiftRight<10>(field(0xF80000)));
    const Words within = hn::Or(hn::Or(hn::ShiftLeft<6>(field(7)), hn::ShiftRight<5>(field(0x700))),
                                hn::ShiftRight<16>(field(0x70000)));
    return hn::Or(block, within);
  }
};

void ColorIndexRow(const std::uint8_t* bgr, std::size_t count, std::uint32_t* indices) {
  BgrRow(ColorIndex(), bgr, count, indices);
}

}  // namespace
}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skinmask {

HWY_EXPORT(ColorIndexRow);

void ColorIndices(const std::uint8_t* bgr, std::size_t count, std::uint32_t* indices) {
  HWY_DYNAMIC_DISPATCH(ColorIndexRow)(bgr, count, indices);
}

}  // namespace skinmask
#endif
