#include "detect/adapt/hog_rows.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "detect/adapt/hog_features-inl.h"
#include "detect/adapt/hog_votes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace {

// ---- The pyramid

#if HWY_TARGET != HWY_SCALAR
// The bytes of a vector's blocks of 128 bits, each block from a base of its own.
template <class Tag>
HWY_INLINE hn::Vec<Tag> BlocksAt(Tag tag, const std::uint8_t* row, const std::int32_t* base) {
  if constexpr (hn::MaxLanes(tag) == 16) {
    return hn::LoadU(tag, row + *base);
  } else {
    const hn::Half<Tag> half;
    return hn::Combine(tag, BlocksAt(half, row, base + hn::MaxLanes(half) / 16),
                       BlocksAt(half, row, base));
  }
}
#endif

void ResizeColumns(const std::uint8_t* row, const HogColumns* columns, std::size_t count,
                   std::int16_t* out) {
  constexpr std::size_t kPixels = HogColumns::kPixels;
#if HWY_TARGET == HWY_SCALAR
  for (const HogColumns* c = columns; c != columns + count; ++c, out += kPixels)
    for (std::size_t i = 0; i < kPixels; ++i) {
      const std::uint8_t* const group = row + c->base[i / 8];
      const int left = group[c->left_right[2 * i]], right = group[c->left_right[2 * i + 1]];
      const int rest = (right - left) * c->rest[i] >> 4;
      out[i] = static_cast<std::int16_t>(128 * left + (right - left) * c->fraction[i] + rest);
    }
#else
  const hn::CappedTag<std::uint8_t, 2 * kPixels> bytes;
  const hn::Repartition<std::uint16_t, decltype(bytes)> pairs;
  const hn::Repartition<std::int16_t, decltype(bytes)> shorts;
  for (const HogColumns* c = columns; c != columns + count; ++c)
    for (std::size_t i = 0; i < kPixels; i += hn::MaxLanes(shorts), out += hn::MaxLanes(shorts)) {
      const auto both =
          hn::BitCast(pairs, hn::TableLookupBytes(BlocksAt(bytes, row, c->base + i / 8),
                                                  hn::LoadU(bytes, c->left_right + 2 * i)));
      const auto left = hn::BitCast(shorts, hn::And(both, hn::Set(pairs, 0xFF)));
      const auto right = hn::BitCast(shorts, hn::ShiftRight<8>(both));
      const auto difference = hn::Sub(right, left);
      const auto step = hn::Mul(difference, hn::LoadU(shorts, c->fraction + i));
      const auto rest = hn::ShiftRight<4>(hn::Mul(difference, hn::LoadU(shorts, c->rest + i)));
      hn::StoreU(hn::Add(hn::Add(hn::ShiftLeft<7>(left), step), rest), shorts, out);
    }
#endif
}

template <class V>
HWY_INLINE V Blend(V a, V b, V fraction) {
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

void ResizeRowsAsOpencv(const std::int16_t* upper, const std::int16_t* lower, std::int16_t fraction,
                        std::size_t count, std::uint8_t* out) {
  const hn::Rebind<std::uint8_t, ShortTag> bytes;
  const Shorts of_upper = Short(2048 - fraction), of_lower = Short(fraction);
  for (std::size_t i = 0; i < count; i += kShorts) {
    const Shorts sum =
        hn::Add(hn::MulHigh(At(upper + i), of_upper), hn::MulHigh(At(lower + i), of_lower));
    hn::StoreU(hn::DemoteTo(bytes, hn::ShiftRight<2>(hn::Add(sum, Short(2)))), bytes, out + i);
  }
}

void TurnRow(const HogTurnedRow& row, std::size_t count, std::uint8_t* out) {
  const hn::ScalableTag<std::int32_t> ints;
  const hn::Rebind<std::uint8_t, decltype(ints)> bytes;
  constexpr std::size_t kInts = hn::MaxLanes(hn::ScalableTag<std::int32_t>());
  const auto one = hn::Set(ints, 1), all = hn::Set(ints, 32), parts = hn::Set(ints, 31);
  const auto two_bytes = hn::Set(ints, 0x00FF00FF);
  HWY_ALIGN std::int32_t offsets[kInts], four[kInts];
  for (std::size_t i = 0; i < count; i += kInts) {
    const auto x =
        hn::ShiftRight<5>(hn::Add(hn::LoadU(ints, row.steps_x + i), hn::Set(ints, row.x)));
    const auto y =
        hn::ShiftRight<5>(hn::Add(hn::LoadU(ints, row.steps_y + i), hn::Set(ints, row.y)));
    const auto within = [&](auto place, std::int32_t last) {
      return hn::Min(hn::Max(hn::Add(hn::ShiftRight<5>(place), one), hn::Zero(ints)),
                     hn::Set(ints, last));
    };
    hn::Store(
        hn::Add(hn::Mul(within(y, row.height), hn::Set(ints, row.stride)), within(x, row.width)),
        ints, offsets);
    // The bytes of `four`: left above, right above, left below, right below.
    for (std::size_t k = 0; k < kInts; ++k) {
      const std::uint8_t* const above = row.pixels + offsets[k];
      const std::uint8_t* const below = above + row.stride;
      four[k] = static_cast<std::int32_t>(
          (above[0] | above[1] << 8) | static_cast<std::uint32_t>(below[0] | below[1] << 8) << 16);
    }
    const auto pixels = hn::Load(ints, four);
    const auto left = hn::And(pixels, two_bytes);
    const auto right = hn::And(hn::ShiftRight<8>(pixels), two_bytes);
    const auto across = hn::And(x, parts), down = hn::And(y, parts);
    // Above in the lower 16 bits, below in the upper ones; each is at most 32 * 255.
    const auto both = hn::Add(hn::Mul(left, hn::Sub(all, across)), hn::Mul(right, across));
    const auto above = hn::And(both, hn::Set(ints, 0xFFFF)), below = hn::ShiftRight<16>(both);
    const auto sum = hn::Add(hn::Mul(above, hn::Sub(all, down)), hn::Mul(below, down));
    hn::StoreU(hn::DemoteTo(bytes, hn::ShiftRight<10>(hn::Add(sum, hn::Set(ints, 512)))), bytes,
               out + i);
  }
}

// ---- Windows

void SplitParity(const std::int16_t* row, std::size_t pairs, std::int16_t* even,
                 std::int16_t* odd) {
  for (std::size_t i = 0; i < pairs; i += kShorts) {
    Shorts a, b;
    hn::LoadInterleaved2(ShortTag(), row + 2 * i, a, b);
    Put(a, even + i);
    Put(b, odd + i);
  }
}

HWY_INLINE Shorts CoarseWeight(std::uint32_t twice) {
#if HWY_TARGET == HWY_SCALAR
  return Short(static_cast<std::int16_t>(twice));
#else
  return hn::BitCast(ShortTag(), hn::Set(hn::Repartition<std::uint32_t, ShortTag>(), twice));
#endif
}

// The sums of each template at kShorts windows in each of two rows, modulo 2^16. That is 32 in
// units of a score, and no window of a picture has such a score.
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

// Appends the candidates among the windows at columns first, first + 2 and so on; returns their
// number.
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
      hn::StoreU(Blend(a, b, hn::Set(tag, fractions[x])), tag, out + 8 * x + k);
    }
}

constexpr HogRowFunctions kFunctions = {
    ResizeColumns, ResizeRows, ResizeRowsAsOpencv, TurnRow, SplitRow, Vote,      Cells,
    Corners,       FeatureRow, SplitParity,        Scan,    Score,    BlendRows, BlendCells};

const HogRowFunctions& Functions() { return kFunctions; }

}  // namespace
}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skinmask {

const HogRowFunctions& HogRows() { return SKINMASK_DISPATCH(Functions)(); }

}  // namespace skinmask
#endif
