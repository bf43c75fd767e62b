// Gradients of pixels and their votes for cells, for the CPU target that is being compiled. Without
// an include guard, because hog_rows.cc alone includes it, once for each target.
#include "base/pixels-inl.h"
#include "detect/adapt/hog_rows.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace {

// At most 16 lanes, because with more lanes too many would lie after the end of a row.
using ShortTag = hn::CappedTag<std::int16_t, 16>;
using UnsignedTag = hn::RebindToUnsigned<ShortTag>;
using Shorts = hn::Vec<ShortTag>;
constexpr std::size_t kShorts = hn::MaxLanes(ShortTag());

HWY_INLINE Shorts Short(int x) { return hn::Set(ShortTag(), static_cast<std::int16_t>(x)); }
HWY_INLINE Shorts At(const std::int16_t* at) { return hn::LoadU(ShortTag(), at); }
HWY_INLINE void Put(Shorts x, std::int16_t* at) { hn::StoreU(x, ShortTag(), at); }

void SplitRow(const std::uint8_t* row, std::size_t blocks, std::int16_t* out, std::size_t stride) {
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t i = 0; i < blocks; ++i)
    for (std::size_t j = 0; j < 8; ++j) out[j * stride + i] = row[8 * i + j];
#else
  const UnsignedTag tag;
  for (std::size_t i = 0; i < blocks; i += kShorts) {
    hn::Vec<UnsignedTag> pairs[4];
    hn::LoadInterleaved4(tag, reinterpret_cast<const std::uint16_t*>(row + 8 * i), pairs[0],
                         pairs[1], pairs[2], pairs[3]);
    for (std::size_t k = 0; k < 4; ++k) {
      const auto even = hn::And(pairs[k], hn::Set(tag, 0xFF)), odd = hn::ShiftRight<8>(pairs[k]);
      Put(hn::BitCast(ShortTag(), even), out + 2 * k * stride + i);
      Put(hn::BitCast(ShortTag(), odd), out + (2 * k + 1) * stride + i);
    }
  }
#endif
}

// x * factor / 2^16, for x of 0 or more.
HWY_INLINE Shorts Share(Shorts x, unsigned factor) {
  const UnsignedTag tag;
  const auto product =
      hn::MulHigh(hn::BitCast(tag, x), hn::Set(tag, static_cast<std::uint16_t>(factor)));
  return hn::BitCast(ShortTag(), product);
}

// -1 where a > b.
HWY_INLINE Shorts Above(Shorts a, Shorts b) { return hn::VecFromMask(ShortTag(), hn::Gt(a, b)); }

// x, or -x where sign is -1.
HWY_INLINE Shorts WithSign(Shorts x, Shorts sign) { return hn::Sub(hn::Xor(x, sign), sign); }

// table[bin], for bins 0 to 7.
HWY_INLINE Shorts OfBin(const std::int16_t* table, Shorts bin) {
#if HWY_TARGET == HWY_SCALAR
  return Short(table[hn::GetLane(bin)]);
#else
  const hn::Repartition<std::uint8_t, ShortTag> bytes;
  const auto index = hn::Add(hn::Mul(bin, Short(0x0202)), Short(0x0100));
  const auto values = hn::BitCast(bytes, hn::LoadDup128(ShortTag(), table));
  return hn::BitCast(ShortTag(), hn::TableLookupBytes(values, hn::BitCast(bytes, index)));
#endif
}

// For each pixel: the nearest of nine orientations, 20 degrees apart, to its gradient; the
// gradient's magnitude; and the magnitude again if the gradient points upwards, else 0.
struct Gradients {
  Shorts orientation, magnitude, upwards;
};

HWY_INLINE Gradients GradientsOf(Shorts dx, Shorts dy, Shorts inside) {
  // 32 kHogMagnitude / sinc(10 degrees) times cosine and sine of the orientation. The projection on
  // the orientation is .985 to 1 of the magnitude; the factor makes it 1 of it on average.
  alignas(16) static constexpr std::int16_t kCosine[8] = {161, 151, 123, 80, 28, 0, 0, 0};
  alignas(16) static constexpr std::int16_t kSine[8] = {0, 55, 103, 139, 158, 0, 0, 0};
  const Shorts ax = hn::Abs(dx), ay = hn::Abs(dy);
  // Tangents of 10, 30, 40 and 20 degrees, in units of 2^-16: the borders between orientations are
  // at 10, 30, 50 and 70 degrees.
  const Shorts early = hn::Add(Above(ay, Share(ax, 11555)), Above(ay, Share(ax, 37845)));
  const Shorts late = hn::Add(Above(ax, Share(ay, 54991)), Above(ax, Share(ay, 23853)));
  const Shorts bin = hn::Add(hn::Sub(late, early), Short(2));
  const Shorts projection =
      hn::Add(hn::Mul(ax, OfBin(kCosine, bin)), hn::Mul(ay, OfBin(kSine, bin)));
  const auto rounded = hn::BitCast(UnsignedTag(), hn::Add(projection, Short(16)));
  const Shorts magnitude = hn::And(hn::BitCast(ShortTag(), hn::ShiftRight<5>(rounded)), inside);
  // Beyond 90 degrees orientations are mirrored; 180 degrees is orientation 0 in the opposite
  // direction.
  const Shorts down = hn::ShiftRight<15>(dy);
  const Shorts mirrored = hn::ShiftRight<15>(WithSign(dx, down));
  const Shorts turned = hn::Add(WithSign(bin, mirrored), hn::And(mirrored, Short(9)));
  const Shorts around = hn::VecFromMask(ShortTag(), hn::Eq(turned, Short(9)));
  return {hn::AndNot(around, turned), magnitude, hn::AndNot(hn::Xor(down, around), magnitude)};
}

// The gradients of eight columns of kShorts blocks, in memory.
struct GradientRow {
  HWY_ALIGN std::int16_t orientation[8][kShorts], magnitude[8][kShorts], upwards[8][kShorts];
};

void GradientsAt(const HogBand& band, std::size_t row, std::size_t block, GradientRow& out) {
  const std::int16_t *const above = band.rows[row] + block,
                            *const here = band.rows[row + 1] + block,
                            *const below = band.rows[row + 2] + block;
  const std::size_t stride = band.stride;
  for (std::size_t j = 0; j < 8; ++j) {
    const Shorts right = At(j < 7 ? here + (j + 1) * stride : here + 1);
    const Shorts left = At(j > 0 ? here + (j - 1) * stride : here + 7 * stride - 1);
    const Shorts dy = hn::Sub(At(below + j * stride), At(above + j * stride));
    const Gradients g = GradientsOf(hn::Sub(right, left), dy, At(band.inside + j * stride + block));
    hn::Store(g.orientation, ShortTag(), out.orientation[j]);
    hn::Store(g.magnitude, ShortTag(), out.magnitude[j]);
    hn::Store(g.upwards, ShortTag(), out.upwards[j]);
  }
}

// Sums over eight columns: s without weights, t with the weights 8 to 1.
struct RowSums {
  HWY_ALIGN std::uint16_t s[kShorts], t[kShorts], s_up[kShorts], t_up[kShorts];
};

HWY_INLINE void SumRow(const GradientRow& gradients, std::size_t orientation, RowSums& out) {
  const ShortTag shorts;
  const UnsignedTag tag;
  const Shorts wanted = Short(static_cast<int>(orientation));
  Shorts s = Short(0), t = s, s_up = s, t_up = s;
  for (std::size_t j = 0; j < 8; ++j) {
    const auto same = hn::Eq(hn::Load(shorts, gradients.orientation[j]), wanted);
    s = hn::Add(s, hn::IfThenElseZero(same, hn::Load(shorts, gradients.magnitude[j])));
    s_up = hn::Add(s_up, hn::IfThenElseZero(same, hn::Load(shorts, gradients.upwards[j])));
    t = hn::Add(t, s);
    t_up = hn::Add(t_up, s_up);
  }
  hn::Store(hn::BitCast(tag, s), tag, out.s);
  hn::Store(hn::BitCast(tag, t), tag, out.t);
  hn::Store(hn::BitCast(tag, s_up), tag, out.s_up);
  hn::Store(hn::BitCast(tag, t_up), tag, out.t_up);
}

using Ints = hn::Vec<IntTag>;

// From sums of n = 8 values without weights (s) and with the weights n .. 1 (t): the sums with the
// weights 15, 13 .. 1 and with 1, 3 .. 15.
struct Shares {
  Ints falling, rising;
  HWY_INLINE Shares(Ints s, Ints t)
      : falling(hn::Sub(hn::Add(t, t), s)), rising(hn::Sub(hn::ShiftLeft<4>(s), falling)) {}
};

// Sums over rows, without weights (s) and with the weights 8 to 1 (t).
struct ColumnSums {
  Ints s, t;
  // Not implicit, because GCC compiles implicit constructors without the options of NEON.
  HWY_INLINE ColumnSums() : s(hn::Zero(IntTag())), t(s) {}
  HWY_INLINE void Add(const std::uint16_t* values) {
    const hn::Rebind<std::uint16_t, IntTag> half;
    s = hn::Add(s, hn::PromoteTo(IntTag(), hn::LoadU(half, values)));
    t = hn::Add(t, s);
  }
};

// Stores the votes of one kind of sums for the four cells around.
HWY_INLINE void PutVotes(const ColumnSums& s, const ColumnSums& t, std::int32_t* above,
                         std::int32_t* below, std::size_t stride) {
  const IntTag tag;
  const Shares plain(s.s, t.s), weighted(s.t, t.t);
  const Shares left(plain.falling, weighted.falling), right(plain.rising, weighted.rising);
  hn::StoreU(hn::Add(hn::LoadU(tag, above), left.falling), tag, above);
  hn::StoreU(hn::Add(hn::LoadU(tag, above + stride), right.falling), tag, above + stride);
  hn::StoreU(left.rising, tag, below);
  hn::StoreU(right.rising, tag, below + stride);
}

void Vote(const HogBand& band, std::size_t blocks, std::int32_t* above, std::int32_t* below,
          std::size_t stride) {
  GradientRow gradients[8];
  RowSums sums[8] = {};
  for (std::size_t block = 0; block < blocks; block += kShorts) {
    for (std::size_t r = band.first; r < band.last; ++r) GradientsAt(band, r, block, gradients[r]);
    for (std::size_t o = 0; o < kHogOrientations; ++o) {
      for (std::size_t r = band.first; r < band.last; ++r) SumRow(gradients[r], o, sums[r]);
      for (std::size_t lane = 0; lane < kShorts; lane += kLanes) {
        ColumnSums s, t, s_up, t_up;
        for (std::size_t r = 0; r < 8; ++r) {
          s.Add(sums[r].s + lane);
          t.Add(sums[r].t + lane);
          s_up.Add(sums[r].s_up + lane);
          t_up.Add(sums[r].t_up + lane);
        }
        const std::size_t at = 4 * o * stride + block + lane;
        PutVotes(s, t, above + at, below + at, stride);
        PutVotes(s_up, t_up, above + at + 2 * stride, below + at + 2 * stride, stride);
      }
    }
  }
}

}  // namespace
}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
