#include "model/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/table_rows.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "base/pixels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::rows::HWY_NAMESPACE {

struct BitOfColor : OfColor {
  static constexpr bool kAllBytes = true;
  const std::uint32_t* bits;
  HWY_INLINE Words operator()(Words color) const {
    const Words word =
        hn::GatherIndex(WordTag(), bits, hn::BitCast(IntTag(), hn::ShiftRight<5>(color)));
    // Shifted by 31 - color % 32, the bit is the sign.
    const Words sign = hn::Shl(word, hn::AndNot(color, Word(31)));
    return hn::BitCast(WordTag(), hn::ShiftRight<31>(hn::BitCast(IntTag(), sign)));
  }
};

struct ByteOfColor : OfColor {
  static constexpr bool kAllBytes = false;
  const std::uint8_t* bytes;
  HWY_INLINE Words operator()(Words color) const {
#if HWY_TARGET == HWY_SCALAR
    return Word(bytes[hn::GetLane(color)]);
#else
    return hn::GatherOffset(WordTag(), reinterpret_cast<const std::uint32_t*>(bytes),
                            hn::BitCast(IntTag(), color));
#endif
  }
};

void MaskOfTable(const std::uint32_t* bits, const std::uint8_t* bgr, std::size_t count,
                 std::uint8_t* mask) {
  BgrRow(BitOfColor{{}, bits}, bgr, count, mask);
}
void ByteOfTable(const std::uint8_t* bytes, const std::uint8_t* bgr, std::size_t count,
                 std::uint8_t* byte) {
  BgrRow(ByteOfColor{{}, bytes}, bgr, count, byte);
}

}  // namespace skinmask::rows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skinmask::rows {

HWY_EXPORT(MaskOfTable);
HWY_EXPORT(ByteOfTable);

void TableMask(const std::uint32_t* bits, const std::uint8_t* bgr, std::size_t count,
               std::uint8_t* mask) {
  HWY_DYNAMIC_DISPATCH(MaskOfTable)(bits, bgr, count, mask);
}
void TableByte(const std::uint8_t* bytes, const std::uint8_t* bgr, std::size_t count,
               std::uint8_t* byte) {
  HWY_DYNAMIC_DISPATCH(ByteOfTable)(bytes, bgr, count, byte);
}

}  // namespace skinmask::rows
#endif
