// Pixels through kernels, with the powers of two and logarithms that these take, for the CPU target
// that is being compiled. Included once per target.
//
// A block is 4 N pixels, N being the lanes of a 32-bit vector: 3 N words. Lane by lane, three words
// hold four pixels,
//   w0 = B0 G0 R0 B1   w1 = G1 R1 B2 G2   w2 = R2 B3 G3 R3   (lowest byte first),
// every channel is one byte of one word, and four results of one byte make one word again: nothing
// moves between lanes except by one permutation at the end.
#if defined(SKINMASK_PIXELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SKINMASK_PIXELS_INL_H_
#undef SKINMASK_PIXELS_INL_H_
#else
#define SKINMASK_PIXELS_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/dispatch.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using WordTag = hn::ScalableTag<std::uint32_t>;
using IntTag = hn::ScalableTag<std::int32_t>;
using FloatTag = hn::ScalableTag<float>;
using Words = hn::Vec<WordTag>;
using Floats = hn::Vec<FloatTag>;

constexpr std::size_t kLanes = hn::MaxLanes(WordTag());
constexpr std::size_t kBlock = 4 * kLanes;

HWY_INLINE Words Word(std::uint32_t x) { return hn::Set(WordTag(), x); }
HWY_INLINE Floats Float(float x) { return hn::Set(FloatTag(), x); }
HWY_INLINE Words Bits(Floats x) { return hn::BitCast(WordTag(), x); }

// Unaligned words from and to bytes.
#if HWY_TARGET == HWY_SCALAR
HWY_INLINE Words LoadWords(const std::uint8_t* bytes) {
  std::uint32_t word;
  std::memcpy(&word, bytes, sizeof(word));
  return Word(word);
}
HWY_INLINE void StoreWords(Words words, std::uint8_t* bytes) {
  const std::uint32_t word = hn::GetLane(words);
  std::memcpy(bytes, &word, sizeof(word));
}
#else
using ByteTag = hn::Repartition<std::uint8_t, WordTag>;
HWY_INLINE Words LoadWords(const std::uint8_t* bytes) {
  return hn::BitCast(WordTag(), hn::LoadU(ByteTag(), bytes));
}
HWY_INLINE void StoreWords(Words words, std::uint8_t* bytes) {
  hn::StoreU(hn::BitCast(ByteTag(), words), ByteTag(), bytes);
}
#endif

// Inverts the highest bit of every byte, as Channel expects.
HWY_INLINE Words Centred(Words words) { return hn::Xor(words, Word(0x80808080u)); }

// 2^24 (byte k - 128) of words whose bytes are Centred.
template <int k>
HWY_INLINE Floats Channel(Words words) {
#if HWY_TARGET == HWY_SCALAR
  const Words top = hn::And(hn::ShiftLeft<24 - 8 * k>(words), Word(0xFF000000u));
#else
  constexpr std::uint8_t kZero = 0x80;
  alignas(16) static constexpr std::uint8_t kToTop[16] = {kZero, kZero, kZero, k,     kZero, kZero,
                                                          kZero, 4 + k, kZero, kZero, kZero, 8 + k,
                                                          kZero, kZero, kZero, 12 + k};
  const auto index = hn::LoadDup128(ByteTag(), kToTop);
  const Words top =
      hn::BitCast(WordTag(), hn::TableLookupBytesOr0(hn::BitCast(ByteTag(), words), index));
#endif
  return hn::ConvertTo(FloatTag(), hn::BitCast(IntTag(), top));
}

// All ones where x is negative. A sum is -0 only if all its terms are, and constants never are.
HWY_INLINE Words SignWords(Floats x) {
  return hn::BitCast(WordTag(), hn::ShiftRight<31>(hn::BitCast(IntTag(), x)));
}

// The first, second, third and fourth pixels of the groups of four, a vector each.
template <class V>
struct FourVectors {
  V v0, v1, v2, v3;
};

// Kernels are functors. `kInput` names their arguments: (b, g, r) of one vector of pixels as
// Floats; the same of a whole block as FourVectors<Floats>; or the colour r << 16 | g << 8 | b as
// Words. Their result is Floats, or Words of which the lowest byte is the result (each byte, if the
// kernel sets kAllBytes).
enum class Input { kChannels, kWholeBlock, kColor };
struct OfChannels {
  static constexpr Input kInput = Input::kChannels;
};
struct OfBlock {
  static constexpr Input kInput = Input::kWholeBlock;
};
struct OfColor {
  static constexpr Input kInput = Input::kColor;
};

template <class Kernel>
HWY_INLINE auto ApplyToColors(const Kernel& kernel, Words w0, Words w1, Words w2) {
  const Words color = Word(0x00FFFFFFu);
  const Words v0 = kernel(hn::And(w0, color));
  const Words v1 = kernel(hn::And(hn::Or(hn::ShiftRight<24>(w0), hn::ShiftLeft<8>(w1)), color));
  const Words v2 = kernel(hn::And(hn::Or(hn::ShiftRight<16>(w1), hn::ShiftLeft<16>(w2)), color));
  return FourVectors<Words>{v0, v1, v2, kernel(hn::ShiftRight<8>(w2))};
}

// Applies the kernel to the block with these three words a lane.
template <class Kernel>
HWY_INLINE auto Apply(const Kernel& kernel, Words w0, Words w1, Words w2) {
  if constexpr (Kernel::kInput == Input::kColor) {
    return ApplyToColors(kernel, w0, w1, w2);
  } else {
    w0 = Centred(w0);
    w1 = Centred(w1);
    w2 = Centred(w2);
    const FourVectors<Floats> b{Channel<0>(w0), Channel<3>(w0), Channel<2>(w1), Channel<1>(w2)};
    const FourVectors<Floats> g{Channel<1>(w0), Channel<0>(w1), Channel<3>(w1), Channel<2>(w2)};
    const FourVectors<Floats> r{Channel<2>(w0), Channel<1>(w1), Channel<0>(w2), Channel<3>(w2)};
    if constexpr (Kernel::kInput == Input::kWholeBlock) {
      return kernel(b, g, r);
    } else {
      using V = decltype(kernel(b.v0, g.v0, r.v0));
      return FourVectors<V>{kernel(b.v0, g.v0, r.v0), kernel(b.v1, g.v1, r.v1),
                            kernel(b.v2, g.v2, r.v2), kernel(b.v3, g.v3, r.v3)};
    }
  }
}

// Packs the byte results of a block next to each other.
template <class Kernel>
HWY_INLINE Words PackBytes(FourVectors<Words> a) {
  if constexpr (!requires { Kernel::kAllBytes; }) {
    a.v1 = hn::ShiftLeft<8>(a.v1);
    a.v2 = hn::ShiftLeft<16>(a.v2);
    a.v3 = hn::ShiftLeft<24>(a.v3);
  }
  Words words = hn::And(a.v0, Word(0xFFu));
  words = hn::OrAnd(words, a.v1, Word(0xFF00u));
  words = hn::OrAnd(words, a.v2, Word(0xFF0000u));
  return hn::OrAnd(words, a.v3, Word(0xFF000000u));
}

// How to select every third word of three vectors of words: from which vector each lane takes a
// word, and in which lane each selected word is.
struct EveryThirdWord {
  HWY_ALIGN std::uint32_t from[3][kLanes] = {};
  HWY_ALIGN std::int32_t lane_of[kLanes] = {};
  constexpr EveryThirdWord() {
    for (std::size_t word = 0; word < 3 * kLanes; word += 3) {
      from[word / kLanes][word % kLanes] = ~0u;
      lane_of[word / 3] = static_cast<std::int32_t>(word % kLanes);
    }
  }
};
inline constexpr EveryThirdWord kEveryThirdWord;

// Reads blocks of BGR. The words w0 are every third word of the block, so for each lane exactly one
// of the block's three vectors holds a w0 there, for every power of two N. The same selection, 4
// and 8 bytes further on, gives w1 and w2. These loads reach kPastEnd bytes past the block (the
// bytes are not used). The selection permutes the groups of four pixels; `in_order_` restores
// their order.
class BgrBlocks {
 public:
  static constexpr std::size_t kPastEnd = 8;

  HWY_INLINE BgrBlocks()
      : in_order_(hn::SetTableIndices(WordTag(), kEveryThirdWord.lane_of)),
        first_(From(0)),
        second_(From(1)) {}

  template <class Kernel>
  HWY_INLINE void operator()(const Kernel& kernel, const std::uint8_t* bgr,
                             std::uint8_t* out) const {
    StoreWords(InOrder(PackBytes<Kernel>(ApplyAt(kernel, bgr))), out);
  }

  // Floats, or whole words.
  template <class Kernel, class T>
  HWY_INLINE void operator()(const Kernel& kernel, const std::uint8_t* bgr, T* out) const {
    const auto a = ApplyAt(kernel, bgr);
    hn::StoreInterleaved4(InOrder(a.v0), InOrder(a.v1), InOrder(a.v2), InOrder(a.v3),
                          hn::ScalableTag<T>(), out);
  }

 private:
  using Order = decltype(hn::SetTableIndices(WordTag(), static_cast<const std::int32_t*>(nullptr)));
  using Mask = hn::Mask<WordTag>;

  template <class Kernel>
  HWY_INLINE auto ApplyAt(const Kernel& kernel, const std::uint8_t* bgr) const {
    return Apply(kernel, LoadFirst(bgr), LoadFirst(bgr + 4), LoadFirst(bgr + 8));
  }
  HWY_INLINE Words LoadFirst(const std::uint8_t* bytes) const {
    const Words others =
        hn::IfThenElse(second_, LoadWords(bytes + kBlock), LoadWords(bytes + 2 * kBlock));
    return hn::IfThenElse(first_, LoadWords(bytes), others);
  }
  HWY_INLINE Words InOrder(Words x) const { return hn::TableLookupLanes(x, in_order_); }
  HWY_INLINE Floats InOrder(Floats x) const { return hn::BitCast(FloatTag(), InOrder(Bits(x))); }
  HWY_INLINE static Mask From(std::size_t vector) {
    return hn::MaskFromVec(hn::Load(WordTag(), kEveryThirdWord.from[vector]));
  }

  Order in_order_;
  Mask first_, second_;
};

// Computes, for every pixel, the result of the kernel of its block, kernel_at(index of the block's
// first pixel). The last pixels, and a block whose loads would reach beyond the end of the row, are
// processed in a copy.
template <class KernelAt, class T>
HWY_INLINE void BgrRowByBlocks(const KernelAt& kernel_at, const std::uint8_t* bgr,
                               std::size_t count, T* out) {
  const BgrBlocks block;
  std::size_t i = 0;
  for (; i + kBlock + (BgrBlocks::kPastEnd + 2) / 3 <= count; i += kBlock)
    block(kernel_at(i), bgr + 3 * i, out + i);
  for (; i < count; i += kBlock) {
    std::uint8_t in[3 * kBlock + BgrBlocks::kPastEnd] = {};
    T results[kBlock];
    const std::size_t rest = HWY_MIN(kBlock, count - i);
    std::memcpy(in, bgr + 3 * i, 3 * rest);
    block(kernel_at(i), in, results);
    std::memcpy(out + i, results, rest * sizeof(T));
  }
}

// The same with one kernel for all blocks.
template <class Kernel, class T>
HWY_INLINE void BgrRow(const Kernel& kernel, const std::uint8_t* bgr, std::size_t count, T* out) {
  BgrRowByBlocks([&](std::size_t) { return kernel; }, bgr, count, out);
}

// Powers of two and logarithms. Only sums, products and quotients are used, so that every target
// gives the same bits. docs/math.md has the error bounds.

// x + kRound has the bits of kRound plus those of the integer nearest to x, for |x| < 2^22.
constexpr float kRound = 0x1.8p23f;

constexpr float kLn2 = 0x1.62e43p-1f;

// 2^x to a relative error of kExp2Error; x is clamped to [-126, 126].
HWY_INLINE Floats Exp2(Floats x) {
  x = hn::Min(hn::Max(x, Float(-126)), Float(126));
  const Floats shifted = hn::Add(x, Float(kRound));
  const Floats f = hn::Sub(x, hn::Sub(shifted, Float(kRound)));  // in [-1/2, 1/2], exact
  // The minimax polynomial of degree 5 on [-1/2, 1/2] (Remez): relative error 7.5e-8.
  Floats p =
      hn::Add(Float(0x1.c6b6e4p-5f),
              hn::Mul(f, hn::Add(Float(0x1.3d0c52p-7f), hn::Mul(f, Float(0x1.5c08e6p-10f)))));
  p = hn::Add(Float(0x1.62e428p-1f), hn::Mul(f, hn::Add(Float(0x1.ebf918p-3f), hn::Mul(f, p))));
  p = hn::Add(Float(0x1.000002p+0f), hn::Mul(f, p));
  // Multiplies by 2^integer by adding to the exponent. The shift drops the bits of kRound itself.
  return hn::BitCast(FloatTag(), hn::Add(Bits(p), hn::ShiftLeft<23>(Bits(shifted))));
}

// ln(x) of normal x > 0: x = 2^k (1 + f), 1 + f in [sqrt(1/2), sqrt(2)), and with s = f / (2 + f)
//   ln(1 + f) = 2 artanh(s) = 2 s (1 + s^2/3 + s^4/5 + s^6/7 + s^8/9 + ...),  s^2 < 0.0295,
// where the terms left out are below 2.1e-9 of the sum.
HWY_INLINE Floats Log(Floats x) {
  const Words above = hn::Sub(Bits(x), Word(0x3F3504F3u));  // minus the bits of sqrt(1/2)
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

// round(255 q), 0 <= q <= 1, from x = 255 q: the low byte of the bits of x + 2^23.
HWY_INLINE Words RoundedByte(Floats x) { return Bits(hn::Add(x, Float(0x1p23f))); }

}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
