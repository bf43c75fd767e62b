#include "skinmask/data/color_counter.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "skinmask/base/cpu.h"
#include "skinmask/base/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "data/color_counter.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "base/pixels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace {

// An index for every colour that keeps similar colours close in memory. Its bits, from the highest:
//   b >> 3 (5)   g >> 3 (5)   r >> 3 (5)   b & 7 (3)   g & 7 (3)   r & 7 (3)
// Each block of 8 x 8 x 8 colours is contiguous, so the colours of a photograph share cache lines.
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

SKINMASK_EXPORT(ColorIndexRow);

namespace {

constexpr std::size_t kRow = 2048;        // pixels processed at a time
constexpr std::uint32_t kBlockBits = 9;   // colours in a block: 8 x 8 x 8
constexpr std::uint32_t kClassBits = 24;  // index = class << 24 | ColorIndex
// Values in blocks_: the block has pixels; one of its bytes has wrapped.
constexpr std::uint8_t kCounted = 1, kWrapped = 3;
// A slice has one class and one b >> 3; slices are in canonical order.
constexpr std::uint32_t kSlicesOfClass = 32;

// The block of a colour (ColorIndex) from the channels' upper five bits.
std::uint32_t BlockOf(std::uint32_t class_index, std::uint32_t b, std::uint32_t g,
                      std::uint32_t r) {
  return class_index << (kClassBits - kBlockBits) | b << 10 | g << 5 | r;
}

template <class T>
T* Calloc(std::size_t count) {
  void* const zeros = std::calloc(count, sizeof(T));
  if (!zeros) throw std::bad_alloc();
  return static_cast<T*>(zeros);
}

}  // namespace

ColorCounter::ColorCounter(std::size_t class_count)
    : class_count_(class_count),
      counts_(Calloc<std::uint8_t>(class_count << kClassBits)),
      wraps_(Calloc<std::uint32_t>(class_count << kClassBits)),
      blocks_(Calloc<std::uint8_t>(class_count << (kClassBits - kBlockBits))) {
  ObeyTargetVariable();
}

void ColorCounter::CountBlock(const std::uint8_t* bgr, const std::uint8_t* classes,
                              std::size_t count) {
  std::array<std::uint32_t, kRow> indices;
  SKINMASK_DISPATCH(ColorIndexRow)(bgr, count, indices.data());
  for (std::size_t i = 0; i < count; ++i) indices[i] |= std::uint32_t{classes[i]} << kClassBits;
  std::uint8_t* const counts = counts_.get();
  std::uint8_t* const blocks = blocks_.get();
  std::uint32_t* const wraps = wraps_.get();
  for (std::size_t i = 0; i < count; ++i) __builtin_prefetch(counts + indices[i], 1);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t index = indices[i];
    blocks[index >> kBlockBits] |= kCounted;
    auto sum = static_cast<std::uint8_t>(counts[index] + 1);
    if (sum == 0) [[unlikely]] {
      ++wraps[index];
      blocks[index >> kBlockBits] = kWrapped;
      sum = 1;
    }
    counts[index] = sum;
  }
}

void ColorCounter::CountRow(const std::uint8_t* bgr, const std::uint8_t* classes, std::size_t count,
                            std::size_t step) {
  if (step < 1) throw Error("`step` 0", "is out of range (1 or more)");
  const auto known = [&](const std::uint8_t* c, std::size_t n) {
    return n == 0 || *std::max_element(c, c + n) < class_count_;
  };
  for (std::size_t start = 0; start < count; start += kRow * step) {
    const std::size_t end = std::min(count, start + kRow * step);
    if (step == 1 && known(classes + start, end - start)) {
      CountBlock(bgr + 3 * start, classes + start, end - start);
      continue;
    }
    std::array<std::uint8_t, 3 * kRow> taken_bgr;
    std::array<std::uint8_t, kRow> taken_classes;
    std::size_t taken = 0;
    for (std::size_t i = start; i < end; i += step) {
      if (classes[i] >= class_count_) continue;
      std::copy_n(bgr + 3 * i, 3, &taken_bgr[3 * taken]);
      taken_classes[taken++] = classes[i];
    }
    CountBlock(taken_bgr.data(), taken_classes.data(), taken);
  }
}

std::uint64_t ColorCounter::CountAt(std::uint32_t index) const {
  const std::uint64_t count = counts_[index];
  // Reads wraps_ only where it was written, because touching its other pages would allocate them.
  const bool wrapped = count > 0 && blocks_[index >> kBlockBits] == kWrapped;
  return wrapped ? count + std::uint64_t{255} * wraps_[index] : count;
}

void ColorCounter::FlushSlice(std::span<ColorCounter* const> counters, std::uint32_t slice,
                              std::uint32_t group, std::vector<SampleRow>& rows) {
  const std::uint32_t class_index = slice / kSlicesOfClass, b_block = slice % kSlicesOfClass;
  constexpr std::uint32_t kEight = 8, kBlocks = 32;  // of a channel
  // For each g >> 3, the values of r >> 3 whose blocks have pixels.
  std::array<std::vector<std::uint32_t>, kBlocks> touched;
  const auto counted = [](std::uint32_t block) {
    return [block](const ColorCounter* counter) { return counter->blocks_[block] != 0; };
  };
  for (std::uint32_t g = 0; g < kBlocks; ++g)
    for (std::uint32_t r = 0; r < kBlocks; ++r)
      if (std::ranges::any_of(counters, counted(BlockOf(class_index, b_block, g, r))))
        touched[g].push_back(r);
  for (std::uint32_t b = 0; b < kEight; ++b)
    for (std::uint32_t g = 0; g < 256; ++g)
      for (std::uint32_t r_block : touched[g / kEight]) {
        const std::uint32_t block = BlockOf(class_index, b_block, g / kEight, r_block);
        const std::uint32_t first = block << kBlockBits | b << 6 | g % kEight << 3;
        std::uint64_t any = 0;
        for (const ColorCounter* counter : counters) {
          std::uint64_t eight;
          std::memcpy(&eight, &counter->counts_[first], sizeof(eight));
          any |= eight;
        }
        for (std::uint32_t r = 0; any != 0 && r < kEight; ++r) {
          std::uint64_t count = 0;
          for (const ColorCounter* counter : counters) count += counter->CountAt(first + r);
          if (count > 0)
            rows.push_back({group, static_cast<std::uint16_t>(class_index),
                            static_cast<std::uint8_t>(b_block * kEight + b),
                            static_cast<std::uint8_t>(g),
                            static_cast<std::uint8_t>(r_block * kEight + r), count});
        }
      }
  for (std::uint32_t g = 0; g < kBlocks; ++g)
    for (std::uint32_t r : touched[g])
      for (ColorCounter* counter : counters) counter->Clear(BlockOf(class_index, b_block, g, r));
}

void ColorCounter::Clear(std::uint32_t block) {
  if (blocks_[block] == 0) return;
  std::memset(&counts_[block << kBlockBits], 0, 1 << kBlockBits);
  if (blocks_[block] == kWrapped)
    std::memset(&wraps_[block << kBlockBits], 0, sizeof(std::uint32_t) << kBlockBits);
  blocks_[block] = 0;
}

std::vector<SampleRow> ColorCounter::Flush(std::uint32_t group) {
  std::vector<SampleRow> rows;
  ColorCounter* const self = this;
  for (std::uint32_t slice = 0; slice < class_count_ * kSlicesOfClass; ++slice)
    FlushSlice({&self, 1}, slice, group, rows);
  return rows;
}

std::vector<SampleRow> ColorCounter::FlushAll(std::span<ColorCounter* const> counters) {
  if (counters.empty()) return {};
  const std::size_t slices = counters.front()->class_count_ * kSlicesOfClass;
  std::vector<std::vector<SampleRow>> parts(slices);
  tbb::parallel_for(std::size_t{0}, slices, [&](std::size_t slice) {
    FlushSlice(counters, static_cast<std::uint32_t>(slice), 0, parts[slice]);
  });
  std::vector<SampleRow> rows;
  std::size_t size = 0;
  for (const auto& part : parts) size += part.size();
  rows.reserve(size);
  for (const auto& part : parts) rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

}  // namespace skinmask
#endif
