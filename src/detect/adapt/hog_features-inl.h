// Histograms of cells and their features, for the CPU target that is being compiled. Without an
// include guard, because hog_rows.cc alone includes it, once for each target.
#include "base/pixels-inl.h"
#include "detect/adapt/hog_rows.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace {

HWY_INLINE Floats At(const float* at) { return hn::LoadU(FloatTag(), at); }
HWY_INLINE void Put(Floats x, float* at) { hn::StoreU(x, FloatTag(), at); }

HWY_INLINE Floats VotesAt(const std::int32_t* left_votes, std::size_t stride) {
  const IntTag tag;
  const auto sum = hn::Add(hn::LoadU(tag, left_votes + 1), hn::LoadU(tag, left_votes + stride));
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

  // Adds the value normalised by each corner to `textures`.
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
    FourVectors<Floats> textures{Float(0), Float(0), Float(0), Float(0)}, others = textures;
    for (std::size_t d = 0; d < 18; ++d)
      sink.Take(d, normaliser.Feature(At(here + d * stride), textures));
    for (std::size_t o = 0; o < kHogOrientations; ++o)
      sink.Take(18 + o, normaliser.Feature(hn::Add(At(here + o * stride),
                                                   At(here + (o + kHogOrientations) * stride)),
                                           others));
    sink.Take(27, hn::Mul(textures.v0, Float(kTexture)));
    sink.Take(28, hn::Mul(textures.v1, Float(kTexture)));
    sink.Take(29, hn::Mul(textures.v2, Float(kTexture)));
    sink.Take(30, hn::Mul(textures.v3, Float(kTexture)));
    // All ones in the lanes of cells that belong to the row.
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

}  // namespace
}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
