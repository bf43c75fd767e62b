// CompiledYuvQuadratic's row functions.
#include "skinmask/model/yuv_quadratic.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/yuv_rows.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "model/quadratic-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace {

// A block of YUV. Where pixels share a sample of chroma, so do they the vector, and the compiler
// sees that what is made of it need be made once only.
struct YuvBlock {
  FourVectors<Floats> y, u, v;
};

HWY_INLINE FourVectors<Floats> AllChannels(Words words) {
  return {Channel<0>(words), Channel<1>(words), Channel<2>(words), Channel<3>(words)};
}

// Two bytes to a word, as its lower half.
HWY_INLINE Words LoadHalfWords(const std::uint8_t* bytes) {
#if HWY_TARGET == HWY_SCALAR
  return Word(bytes[0] | static_cast<std::uint32_t>(bytes[1]) << 8);
#else
  const hn::Rebind<std::uint16_t, WordTag> halves;
  return hn::PromoteTo(WordTag(), hn::BitCast(halves, hn::LoadU(hn::Half<ByteTag>(), bytes)));
#endif
}

// A byte to a word, as its lowest.
HWY_INLINE Words LoadQuarterWords(const std::uint8_t* bytes) {
#if HWY_TARGET == HWY_SCALAR
  return Word(bytes[0]);
#else
  return hn::PromoteTo(WordTag(), hn::LoadU(hn::Rebind<std::uint8_t, WordTag>(), bytes));
#endif
}

HWY_INLINE FourVectors<Floats> Pairs(Floats left, Floats right) {
  return {left, left, right, right};
}

// The frames: how a block is loaded, and the bytes of each plane that `count` pixels take.
// Planes of which `kShared` pixels of a row have one sample of chroma: 1, 2 or 4.
template <std::size_t kShared>
struct Planar {
  const std::uint8_t* plane[3];
  static std::size_t Bytes(std::size_t p, std::size_t count) {
    return p == 0 ? count : (count + kShared - 1) / kShared;
  }
  HWY_INLINE static FourVectors<Floats> Chroma(const std::uint8_t* bytes) {
    if constexpr (kShared == 1) {
      return AllChannels(Centred(LoadWords(bytes)));
    } else if constexpr (kShared == 2) {
      const Words words = Centred(LoadHalfWords(bytes));
      return Pairs(Channel<0>(words), Channel<1>(words));
    } else {
      const Floats all = Channel<0>(Centred(LoadQuarterWords(bytes)));
      return Pairs(all, all);
    }
  }
  HWY_INLINE YuvBlock Load() const {
    return {AllChannels(Centred(LoadWords(plane[0]))), Chroma(plane[1]), Chroma(plane[2])};
  }
};

struct Nv12 {
  const std::uint8_t* plane[2];
  static std::size_t Bytes(std::size_t p, std::size_t count) {
    return p == 0 ? count : 2 * ((count + 1) / 2);
  }
  HWY_INLINE YuvBlock Load() const {
    const FourVectors<Floats> uv = AllChannels(Centred(LoadWords(plane[1])));
    return {AllChannels(Centred(LoadWords(plane[0]))), Pairs(uv.v0, uv.v2), Pairs(uv.v1, uv.v3)};
  }
};

struct Yuyv {
  const std::uint8_t* plane[1];
  static std::size_t Bytes(std::size_t, std::size_t count) { return 4 * ((count + 1) / 2); }
  HWY_INLINE YuvBlock Load() const {
    const Words low = Centred(LoadWords(plane[0]));
    const Words high = Centred(LoadWords(plane[0] + kBlock));
#if HWY_TARGET == HWY_SCALAR
    const Words even = low, odd = high;
#else
    const Words even = hn::ConcatEven(WordTag(), high, low);
    const Words odd = hn::ConcatOdd(WordTag(), high, low);
#endif
    return {{Channel<0>(even), Channel<2>(even), Channel<0>(odd), Channel<2>(odd)},
            Pairs(Channel<1>(even), Channel<1>(odd)),
            Pairs(Channel<3>(even), Channel<3>(odd))};
  }
};

// The quadratic of pixels of one chroma: what that alone gives, then each pixel's luma.
// docs/math.md counts 8 roundings; keep the order.
struct OfLuma {
  Floats constant, of_y, square;
  HWY_INLINE OfLuma(const FloatQuadratic& q, Floats u, Floats v) : square(Float(q.product[0])) {
    const Floats of_u = hn::Add(hn::Add(Float(q.linear[1]), hn::Mul(Float(q.product[3]), u)),
                                hn::Mul(Float(q.product[4]), v));
    const Floats of_v = hn::Add(Float(q.linear[2]), hn::Mul(Float(q.product[5]), v));
    constant = hn::Add(hn::Add(Float(q.constant), hn::Mul(u, of_u)), hn::Mul(v, of_v));
    of_y = hn::Add(hn::Add(Float(q.linear[0]), hn::Mul(Float(q.product[1]), u)),
                   hn::Mul(Float(q.product[2]), v));
  }
  HWY_INLINE Floats operator()(Floats y) const {
    return hn::Add(constant, hn::Mul(y, hn::Add(of_y, hn::Mul(square, y))));
  }
};

template <class OfValue, class Frame>
HWY_INLINE void Block(const FloatQuadratic& q, const Frame& frame, std::uint8_t* out) {
  const OfValue of_value;
  const YuvBlock in = frame.Load();
  const FourVectors<Words> results{of_value(OfLuma(q, in.u.v0, in.v.v0)(in.y.v0)),
                                   of_value(OfLuma(q, in.u.v1, in.v.v1)(in.y.v1)),
                                   of_value(OfLuma(q, in.u.v2, in.v.v2)(in.y.v2)),
                                   of_value(OfLuma(q, in.u.v3, in.v.v3)(in.y.v3))};
  StoreWords(PackBytes<OfValue>(results), out);
}

// As BgrRow. A block's pixels, kBlock, are a multiple of four, and so are those of all before.
template <class OfValue, class Frame>
HWY_INLINE void FrameRow(const FloatQuadratic& of_frame, Frame frame, std::size_t count,
                         std::uint8_t* out) {
  const FloatQuadratic q = of_frame;  // out could overlap it, for all that the compiler knows
  constexpr std::size_t kPlanes = sizeof(frame.plane) / sizeof(frame.plane[0]);
  for (; count >= kBlock; count -= kBlock, out += kBlock) {
    Block<OfValue>(q, frame, out);
    for (std::size_t p = 0; p < kPlanes; ++p) frame.plane[p] += Frame::Bytes(p, kBlock);
  }
  if (count == 0) return;
  std::uint8_t in[kPlanes][2 * kBlock] = {};
  std::uint8_t results[kBlock];
  for (std::size_t p = 0; p < kPlanes; ++p) {
    std::memcpy(in[p], frame.plane[p], Frame::Bytes(p, count));
    frame.plane[p] = in[p];
  }
  Block<OfValue>(q, frame, results);
  std::memcpy(out, results, count);
}

HWY_INLINE Planar<2> FrameOf(const I420Row& row) { return {{row.y, row.u, row.v}}; }
HWY_INLINE Planar<1> FrameOf(const I444Row& row) { return {{row.y, row.u, row.v}}; }
HWY_INLINE Planar<4> FrameOf(const I411Row& row) { return {{row.y, row.u, row.v}}; }
HWY_INLINE Nv12 FrameOf(const Nv12Row& row) { return {{row.y, row.uv}}; }
HWY_INLINE Yuyv FrameOf(const YuyvRow& row) { return {{row.yuyv}}; }

template <class OfValue, class Row>
void YuvRow(const FloatQuadratic& q, const Row& row, std::size_t count, std::uint8_t* out) {
  FrameRow<OfValue>(q, FrameOf(row), count, out);
}

constexpr auto& I420Mask = YuvRow<SignMask, I420Row>;
constexpr auto& I444Mask = YuvRow<SignMask, I444Row>;
constexpr auto& I411Mask = YuvRow<SignMask, I411Row>;
constexpr auto& Nv12Mask = YuvRow<SignMask, Nv12Row>;
constexpr auto& YuyvMask = YuvRow<SignMask, YuyvRow>;
constexpr auto& I420Probability = YuvRow<LogisticByte, I420Row>;
constexpr auto& I444Probability = YuvRow<LogisticByte, I444Row>;
constexpr auto& I411Probability = YuvRow<LogisticByte, I411Row>;
constexpr auto& Nv12Probability = YuvRow<LogisticByte, Nv12Row>;
constexpr auto& YuyvProbability = YuvRow<LogisticByte, YuyvRow>;

}  // namespace
}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skinmask {

HWY_EXPORT(I420Mask);
HWY_EXPORT(I444Mask);
HWY_EXPORT(I411Mask);
HWY_EXPORT(Nv12Mask);
HWY_EXPORT(YuyvMask);
HWY_EXPORT(I420Probability);
HWY_EXPORT(I444Probability);
HWY_EXPORT(I411Probability);
HWY_EXPORT(Nv12Probability);
HWY_EXPORT(YuyvProbability);

void CompiledYuvQuadratic::MaskRow(const I420Row& row, std::size_t count,
                                   std::uint8_t* mask) const noexcept {
  HWY_DYNAMIC_DISPATCH(I420Mask)(below_threshold_, row, count, mask);
}
void CompiledYuvQuadratic::MaskRow(const I444Row& row, std::size_t count,
                                   std::uint8_t* mask) const noexcept {
  HWY_DYNAMIC_DISPATCH(I444Mask)(below_threshold_, row, count, mask);
}
void CompiledYuvQuadratic::MaskRow(const I411Row& row, std::size_t count,
                                   std::uint8_t* mask) const noexcept {
  HWY_DYNAMIC_DISPATCH(I411Mask)(below_threshold_, row, count, mask);
}
void CompiledYuvQuadratic::MaskRow(const Nv12Row& row, std::size_t count,
                                   std::uint8_t* mask) const noexcept {
  HWY_DYNAMIC_DISPATCH(Nv12Mask)(below_threshold_, row, count, mask);
}
void CompiledYuvQuadratic::MaskRow(const YuyvRow& row, std::size_t count,
                                   std::uint8_t* mask) const noexcept {
  HWY_DYNAMIC_DISPATCH(YuyvMask)(below_threshold_, row, count, mask);
}
void CompiledYuvQuadratic::ProbabilityRow(const I420Row& row, std::size_t count,
                                          std::uint8_t* probability) const noexcept {
  HWY_DYNAMIC_DISPATCH(I420Probability)(log2_against_, row, count, probability);
}
void CompiledYuvQuadratic::ProbabilityRow(const I444Row& row, std::size_t count,
                                          std::uint8_t* probability) const noexcept {
  HWY_DYNAMIC_DISPATCH(I444Probability)(log2_against_, row, count, probability);
}
void CompiledYuvQuadratic::ProbabilityRow(const I411Row& row, std::size_t count,
                                          std::uint8_t* probability) const noexcept {
  HWY_DYNAMIC_DISPATCH(I411Probability)(log2_against_, row, count, probability);
}
void CompiledYuvQuadratic::ProbabilityRow(const Nv12Row& row, std::size_t count,
                                          std::uint8_t* probability) const noexcept {
  HWY_DYNAMIC_DISPATCH(Nv12Probability)(log2_against_, row, count, probability);
}
void CompiledYuvQuadratic::ProbabilityRow(const YuyvRow& row, std::size_t count,
                                          std::uint8_t* probability) const noexcept {
  HWY_DYNAMIC_DISPATCH(YuyvProbability)(log2_against_, row, count, probability);
}

}  // namespace skinmask
#endif
