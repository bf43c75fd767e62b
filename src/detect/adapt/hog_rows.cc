#include "detect/adapt/hog_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "detect/adapt/hog_rows.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "base/pixels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace {

// At most 16 lanes: of more, too many would lie behind the end of a row.
using ShortTag = hn::CappedTag<std::int16_t, 16>;
using UnsignedTag = hn::RebindToUnsigned<ShortTag>;
using Shorts = hn::Vec<ShortTag>;
constexpr std::size_t kShorts = hn::MaxLanes(ShortTag());

HWY_INLINE Shorts Short(int x) { return hn::Set(ShortTag(), static_cast<std::int16_t>(x)); }
HWY_INLINE Shorts At(const std::int16_t* at) { return hn::LoadU(ShortTag(), at); }
HWY_INLINE void Put(Shorts x, std::int16_t* at) { hn::StoreU(x, ShortTag(), at); }
HWY_INLINE Floats At(const float* at) { return hn::LoadU(FloatTag(), at); }
HWY_INLINE void Put(Floats x, float* at) { hn::StoreU(x, FloatTag(), at); }

// ---- The pyramid

void ResizeColumns(const std::uint8_t* row, const HogColumns* columns, std::size_t groups,
                   std::int16_t* out) {
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t g = 0; g < groups; ++g, out += 8) {
    const HogColumns& c = columns[g];
    for (std::size_t i = 0; i < 8; ++i) {
      const int left = row[c.base + c.left_right[2 * i]];
      const int right = row[c.base + c.left_right[2 * i + 1]];
      out[i] = static_cast<std::int16_t>(128 * left + (right - left) * c.fraction[i]);
    }
  }
#else
  const hn::Full128<std::uint8_t> bytes;
  const hn::Full128<std::uint16_t> pairs;
  const hn::Full128<std::int16_t> shorts;
  for (std::size_t g = 0; g < groups; ++g) {
    const HogColumns& c = columns[g];
    const auto both = hn::BitCast(pairs, hn::TableLookupBytes(hn::LoadU(bytes, row + c.base),
                                                              hn::LoadU(bytes, c.left_right)));
    const auto left = hn::BitCast(shorts, hn::And(both, hn::Set(pairs, 0xFF)));
    const auto right = hn::BitCast(shorts, hn::ShiftRight<8>(both));
    const auto step = hn::Mul(hn::Sub(right, left), hn::LoadU(shorts, c.fraction));
    hn::StoreU(hn::Add(hn::ShiftLeft<7>(left), step), shorts, out + 8 * g);
  }
#endif
}

HWY_INLINE Shorts Blend(Shorts a, Shorts b, Shorts fraction) {
  return hn::Add(a, hn::MulFixedPoint15(hn::Sub(b, a), fraction));
}

void ResizeRows(const std::int16_t* upper, const std::int16_t* lower, std::int16_t fraction,
                std::size_t count, std::uint8_t* out) {
  const hn::Rebind<std::uint8_t, ShortTag> bytes;
  for (std::size_t i = 0; i < count; i += kShorts) {
    const Shorts x = Blend(At(upper + i), At(lower + i), Short(fraction));
    hn::StoreU(hn::DemoteTo(bytes, hn::ShiftRight<7>(hn::Add(x, Short(64)))), bytes, out + i);
  }
}

// ---- Gradients and their votes

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

// factor / 2^16 of x, which is not negative.
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

// table[bin], of bins 0 to 7.
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

// Of pixels: which of nine orientations, 20 degrees apart, is nearest to their gradient's; its
// magnitude, and the same where it points upwards, else 0.
struct Gradients {
  Shorts orientation, magnitude, upwards;
};

HWY_INLINE Gradients GradientsOf(Shorts dx, Shorts dy, Shorts inside) {
  // 32 kHogMagnitude / sinc(10 degrees) times cosine and sine of the orientation: the projection
  // on it, which is .985 to 1 of the magnitude, is 1 of it in the mean.
  alignas(16) static constexpr std::int16_t kCosine[8] = {161, 151, 123, 80, 28, 0, 0, 0};
  alignas(16) static constexpr std::int16_t kSine[8] = {0, 55, 103, 139, 158, 0, 0, 0};
  const Shorts ax = hn::Abs(dx), ay = hn::Abs(dy);
  // Tangents of 10, 30, 40 and 20 degrees, in shares of 2^16: steps at 10, 30, 50 and 70.
  const Shorts early = hn::Add(Above(ay, Share(ax, 11555)), Above(ay, Share(ax, 37845)));
  const Shorts late = hn::Add(Above(ax, Share(ay, 54991)), Above(ax, Share(ay, 23853)));
  const Shorts bin = hn::Add(hn::Sub(late, early), Short(2));
  const Shorts projection =
      hn::Add(hn::Mul(ax, OfBin(kCosine, bin)), hn::Mul(ay, OfBin(kSine, bin)));
  const auto rounded = hn::BitCast(UnsignedTag(), hn::Add(projection, Short(16)));
  const Shorts magnitude = hn::And(hn::BitCast(ShortTag(), hn::ShiftRight<5>(rounded)), inside);
  // Beyond 90 degrees they are mirrored, and 180 is 0 again, the other way.
  const Shorts down = hn::ShiftRight<15>(dy);
  const Shorts mirrored = hn::ShiftRight<15>(WithSign(dx, down));
  const Shorts turned = hn::Add(WithSign(bin, mirrored), hn::And(mirrored, Short(9)));
  const Shorts around = hn::VecFromMask(ShortTag(), hn::Eq(turned, Short(9)));
  return {hn::AndNot(around, turned), magnitude, hn::AndNot(hn::Xor(down, around), magnitude)};
}

// Those of eight columns of kShorts blocks, in memory.
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

// Sums of eight columns: s plain, t with the weights 8 to 1.
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

// Of values with the weights 1 each (s) and n .. 1 (t), n = 8: the sums with weights 15, 13 .. 1,
// and with 1, 3 .. 15.
struct Shares {
  Ints falling, rising;
  HWY_INLINE Shares(Ints s, Ints t)
      : falling(hn::Sub(hn::Add(t, t), s)), rising(hn::Sub(hn::ShiftLeft<4>(s), falling)) {}
};

// Sums over rows, plain and with the weights 8 to 1.
struct ColumnSums {
  Ints s, t;
  // Not implicit: GCC compiles those without the options of NEON.
  HWY_INLINE ColumnSums() : s(hn::Zero(IntTag())), t(s) {}
  HWY_INLINE void Add(const std::uint16_t* values) {
    const hn::Rebind<std::uint16_t, IntTag> half;
    s = hn::Add(s, hn::PromoteTo(IntTag(), hn::LoadU(half, values)));
    t = hn::Add(t, s);
  }
};

// The votes of one kind of sums for the four cells around.
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

// ---- Histograms and features

HWY_INLINE Floats VotesAt(const std::int32_t* left_votes, std::size_t stride) {
  const IntTag tag;
  const Ints sum = hn::Add(hn::LoadU(tag, left_votes + 1), hn::LoadU(tag, left_votes + stride));
  return hn::Mul(hn::ConvertTo(FloatTag(), sum), Float(1.f / (256 * kHogMagnitude)));
}

void Cells(const std::int32_t* votes, std::size_t stride, std::size_t cells, float* histograms,
           float* energy) {
  for (std::size_t x = 0; x < cells; x += kLanes) {
    Floats squares = Float(0);
    for (std::size_t o = 0; o < kHogOrientations; ++o) {
      const Floats all = VotesAt(votes + 4 * o * stride + x, stride);
      const Floats up = VotesAt(votes + (4 * o + 2) * stride + x, stride);
      squares = hn::Add(squares, hn::Mul(all, all));
      Put(up, histograms + o * stride + x);
      Put(hn::Sub(all, up), histograms + (o + kHogOrientations) * stride + x);
    }
    Put(squares, energy + x);
  }
}

constexpr float kFeatureUnit = 1 << HogTables::kFeatureBits;

void Corners(const float* above, const float* below, std::size_t corners, float* factors) {
  for (std::size_t x = 0; x < corners; x += kLanes) {
    const Floats sum = hn::Add(hn::Add(At(above + x), At(above + x + 1)),
                               hn::Add(At(below + x), At(below + x + 1)));
    const Floats root = hn::Sqrt(hn::Add(sum, Float(1e-4f)));
    Put(hn::Div(Float(.5f * kFeatureUnit), root), factors + x);
  }
}

// The nearest integer of x, |x| < 2^22, in its low bits.
constexpr float kRoundShort = 0x1.8p23f;
HWY_INLINE Words Rounded(Floats x) { return Bits(hn::Add(x, Float(kRoundShort))); }

// Normalises the histograms of kLanes cells by each of their four corners.
class Normaliser {
 public:
  HWY_INLINE Normaliser(const float* above, const float* below)
      : factors_{At(below + 1), At(above + 1), At(below), At(above)} {}

  HWY_INLINE Floats Feature(Floats value) const {
    return hn::Add(hn::Add(Capped(value, 0), Capped(value, 1)),
                   hn::Add(Capped(value, 2), Capped(value, 3)));
  }
  // The same, and adds what each corner gives.
  HWY_INLINE Floats Feature(Floats value, FourVectors<Floats>& textures) const {
    const Floats a = Capped(value, 0), b = Capped(value, 1), c = Capped(value, 2),
                 d = Capped(value, 3);
    textures.v0 = hn::Add(textures.v0, a);
    textures.v1 = hn::Add(textures.v1, b);
    textures.v2 = hn::Add(textures.v2, c);
    textures.v3 = hn::Add(textures.v3, d);
    return hn::Add(hn::Add(a, b), hn::Add(c, d));
  }

 private:
  HWY_INLINE Floats Capped(Floats value, std::size_t corner) const {
    return hn::Min(hn::Mul(value, factors_[corner]), Float(.1f * kFeatureUnit));
  }
  Floats factors_[4];
};

// Takes the features of kLanes cells one after the other.
struct FeatureSink {
  Words pairs[16];
  Floats coarse[HogTables::kCoarse];

  HWY_INLINE FeatureSink() {}
  HWY_INLINE void Take(std::size_t f, Floats value) {
    const Words bits = Rounded(value);
    pairs[f / 2] =
        f % 2 == 0 ? hn::And(bits, Word(0xFFFF)) : hn::Or(pairs[f / 2], hn::ShiftLeft<16>(bits));
    constexpr float kScale = 1.f / (1 << (HogTables::kFeatureBits - HogTables::kCoarseBits));
    for (std::size_t c = 0; c < HogTables::kCoarse; ++c) {
      const Floats term = hn::Mul(value, Float(kScale * kHogTables.projection[f][c]));
      coarse[c] = f == 0 ? term : hn::Add(coarse[c], term);
    }
  }
};

HWY_INLINE void PutCoarse(Floats value, Words within, std::int16_t* out) {
  const Floats bound = Float(16383);
  const Words bits = Rounded(hn::Max(hn::Min(value, bound), hn::Sub(Float(0), bound)));
  const Words whole = hn::And(hn::Sub(bits, Bits(Float(kRoundShort))), within);
  const hn::Rebind<std::int16_t, IntTag> tag;
  hn::StoreU(hn::DemoteTo(tag, hn::BitCast(IntTag(), whole)), tag, out);
}

void FeatureRow(const float* histograms, std::size_t stride, const float* factors_above,
                const float* factors_below, std::size_t cells, const HogFeatures& out) {
  constexpr float kTexture = 2 * .2357f;
  for (std::size_t x = 0; x < cells; x += kLanes) {
    const Normaliser normaliser(factors_above + x, factors_below + x);
    const float* const here = histograms + x + 1;
    FeatureSink sink;
    FourVectors<Floats> textures{Float(0), Float(0), Float(0), Float(0)};
    for (std::size_t d = 0; d < 18; ++d)
      sink.Take(d, normaliser.Feature(At(here + d * stride), textures));
    for (std::size_t o = 0; o < kHogOrientations; ++o)
      sink.Take(18 + o, normaliser.Feature(hn::Add(At(here + o * stride),
                                                   At(here + (o + kHogOrientations) * stride))));
    sink.Take(27, hn::Mul(textures.v0, Float(kTexture)));
    sink.Take(28, hn::Mul(textures.v1, Float(kTexture)));
    sink.Take(29, hn::Mul(textures.v2, Float(kTexture)));
    sink.Take(30, hn::Mul(textures.v3, Float(kTexture)));
    // All ones in the cells that are of the row.
    const Words place = hn::Iota(WordTag(), static_cast<std::uint32_t>(x));
    const Words within =
        hn::VecFromMask(WordTag(), hn::Lt(place, Word(static_cast<std::uint32_t>(cells))));
    for (std::size_t q = 0; q < HogTables::kQuarters; ++q) {
      const Words* const p = sink.pairs + 4 * q;
      hn::StoreInterleaved4(
          hn::And(p[0], within), hn::And(p[1], within), hn::And(p[2], within),
          hn::And(p[3], within), WordTag(),
          reinterpret_cast<std::uint32_t*>(out.features + q * out.quarter_stride + 8 * x));
    }
    for (std::size_t c = 0; c < HogTables::kCoarse; ++c)
      PutCoarse(sink.coarse[c], within, out.coarse + c * out.coarse_stride + x);
  }
}

void SplitParity(const std::int16_t* row, std::size_t pairs, std::int16_t* even,
                 std::int16_t* odd) {
  for (std::size_t i = 0; i < pairs; i += kShorts) {
    Shorts a, b;
    hn::LoadInterleaved2(ShortTag(), row + 2 * i, a, b);
    Put(a, even + i);
    Put(b, odd + i);
  }
}

// ---- Windows

HWY_INLINE Shorts CoarseWeight(std::uint32_t twice) {
#if HWY_TARGET == HWY_SCALAR
  return Short(static_cast<std::int16_t>(twice));
#else
  return hn::BitCast(ShortTag(), hn::Set(hn::Repartition<std::uint32_t, ShortTag>(), twice));
#endif
}

// Sums of each template at kShorts windows in each of two rows, modulo 2^16, which is 32 in units
// of a score: no window of a picture scores so much.
struct CoarseSums {
  Shorts sums[HogTables::kTemplates][2];

  HWY_INLINE CoarseSums() {
    for (std::size_t t = 0; t < HogTables::kTemplates; ++t)
      sums[t][0] = sums[t][1] = Short(-kHogTables.coarse_threshold[t]);
  }
  HWY_INLINE void Add(Shorts first, Shorts second, const std::uint32_t* weights) {
    for (std::size_t t = 0; t < HogTables::kTemplates; ++t) {
      const Shorts weight = CoarseWeight(weights[t]);
      sums[t][0] = hn::Add(sums[t][0], hn::MulFixedPoint15(first, weight));
      sums[t][1] = hn::Add(sums[t][1], hn::MulFixedPoint15(second, weight));
    }
  }
};

// The candidates among windows at columns first, first + 2 and so on.
HWY_INLINE std::size_t PutCandidates(Shorts sums, HogCandidate where, std::int32_t columns,
                                     HogCandidate* found) {
  if (hn::AllFalse(ShortTag(), hn::Gt(sums, Short(0)))) return 0;
  HWY_ALIGN std::int16_t excess[kShorts];
  hn::Store(sums, ShortTag(), excess);
  std::size_t count = 0;
  for (std::size_t i = 0; i < kShorts; ++i) {
    const std::int32_t column = where.column + 2 * static_cast<std::int32_t>(i);
    if (excess[i] > 0 && column < columns)
      found[count++] = {where.row, column, where.pattern, excess[i]};
  }
  return count;
}

template <std::size_t parity>
HWY_INLINE std::size_t ScanParity(const HogCoarse& coarse, std::size_t row, std::size_t columns,
                                  HogCandidate* found) {
  const std::size_t half = coarse.half_stride, row_stride = 2 * HogTables::kCoarse * half;
  std::size_t count = 0;
  for (std::size_t i = 0; 2 * i + parity < columns; i += kShorts) {
    CoarseSums sums;
    const std::int16_t* at = coarse.halves + row * row_stride + i;
    for (std::size_t dy = 0; dy < HogTables::kWindow; ++dy)
      for (std::size_t c = 0; c < HogTables::kCoarse; ++c, at += 2 * half)
        for (std::size_t dx = 0; dx < HogTables::kWindow; ++dx) {
          const std::int16_t* const cell = at + (parity + dx) % 2 * half + (parity + dx) / 2;
          sums.Add(At(cell), At(cell + 2 * row_stride), kHogTables.coarse_weights[dy][c][dx]);
        }
    for (std::size_t t = 0; t < HogTables::kTemplates; ++t)
      for (std::size_t k = 0; k < 2; ++k)
        count += PutCandidates(
            sums.sums[t][k],
            {static_cast<std::int32_t>(row + 2 * k), static_cast<std::int32_t>(2 * i + parity),
             static_cast<std::int16_t>(t), 0},
            static_cast<std::int32_t>(columns), found + count);
  }
  return count;
}

std::size_t Scan(const HogCoarse& coarse, std::size_t row, std::size_t columns,
                 HogCandidate* found) {
  return row % 2 == 0 ? ScanParity<0>(coarse, row, columns, found)
                      : ScanParity<1>(coarse, row, columns, found);
}

std::int32_t Score(const std::int16_t* features, std::size_t quarter_stride, std::size_t pattern) {
  constexpr std::size_t kRow = HogTables::kWindow * HogTables::kInQuarter;
  static_assert(kRow % kShorts == 0);
  using SumTag = hn::RepartitionToWide<ShortTag>;
  const SumTag tag;
  const std::int16_t* weights = kHogTables.weights[pattern][0][0][0];
  auto even = hn::Zero(tag), odd = even;
  for (std::size_t i = 0; i < HogTables::kWindow * HogTables::kQuarters; ++i) {
    for (std::size_t k = 0; k < kRow; k += kShorts)
      even = hn::ReorderWidenMulAccumulate(tag, At(features + k), At(weights + k), even, odd);
    features += quarter_stride;
    weights += kRow;
  }
  return hn::GetLane(hn::SumOfLanes(tag, hn::Add(even, odd))) - kHogTables.threshold[pattern];
}

// ---- Features between two levels

void BlendRows(const std::int16_t* upper, const std::int16_t* lower, std::int16_t fraction,
               std::size_t count, std::int16_t* out) {
  for (std::size_t i = 0; i < count; i += kShorts)
    Put(Blend(At(upper + i), At(lower + i), Short(fraction)), out + i);
}

void BlendCells(const std::int16_t* row, const std::int32_t* left, const std::int16_t* fractions,
                std::size_t cells, std::int16_t* out) {
  const hn::CappedTag<std::int16_t, HogTables::kInQuarter> tag;
  for (std::size_t x = 0; x < cells; ++x)
    for (std::size_t k = 0; k < HogTables::kInQuarter; k += hn::MaxLanes(tag)) {
      const std::int16_t* const cell = row + 8 * static_cast<std::size_t>(left[x]) + k;
      const auto a = hn::LoadU(tag, cell), b = hn::LoadU(tag, cell + 8);
      const auto step = hn::MulFixedPoint15(hn::Sub(b, a), hn::Set(tag, fractions[x]));
      hn::StoreU(hn::Add(a, step), tag, out + 8 * x + k);
    }
}

constexpr HogRowFunctions kFunctions = {.resize_columns = ResizeColumns,
                                        .resize_rows = ResizeRows,
                                        .split_row = SplitRow,
                                        .vote = Vote,
                                        .cells = Cells,
                                        .corners = Corners,
                                        .feature_row = FeatureRow,
                                        .split_parity = SplitParity,
                                        .scan = Scan,
                                        .score = Score,
                                        .blend_rows = BlendRows,
                                        .blend_cells = BlendCells};

const HogRowFunctions& Functions() { return kFunctions; }

}  // namespace
}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skinmask {

SKINMASK_EXPORT(Functions);

const HogRowFunctions& HogRows() { return SKINMASK_DISPATCH(Functions)(); }

}  // namespace skinmask
#endif
