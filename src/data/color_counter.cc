#include "skinmask/data/color_counter.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "skinmask/base/error.h"

namespace skinmask {
namespace {

constexpr std::uint32_t kBlockBits = 9;   // colours in a block: 8 x 8 x 8
constexpr std::uint32_t kClassBits = 24;  // index = class << 24 | IndexOf
// Values in blocks_: the block has pixels; one of its bytes has wrapped.
constexpr std::uint8_t kCounted = 1, kWrapped = 3;
// A slice has one class and one b >> 3; slices are in canonical order.
constexpr std::uint32_t kSlicesOfClass = 32;

// An index for every colour that keeps similar colours close in memory. Its bits, from the highest:
//   b >> 3 (5)   g >> 3 (5)   r >> 3 (5)   b & 7 (3)   g & 7 (3)   r & 7 (3)
// Each block of 8 x 8 x 8 colours is contiguous, so the colours of a photograph share cache lines.
std::uint32_t IndexOf(const std::uint8_t* bgr) {
  const std::uint32_t b = bgr[0], g = bgr[1], r = bgr[2];
  return b >> 3 << 19 | g >> 3 << 14 | r >> 3 << 9 | (b & 7) << 6 | (g & 7) << 3 | (r & 7);
}

// The block of a colour (IndexOf) from the channels' upper five bits.
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
      blocks_(Calloc<std::uint8_t>(class_count << (kClassBits - kBlockBits))) {}

void ColorCounter::CountRow(const std::uint8_t* bgr, const std::uint8_t* classes, std::size_t count,
                            std::size_t step) {
  if (step < 1) throw Error("`step` 0", "is out of range (1 or more)");
  std::array<std::uint32_t, 2048> indices;  // fetched into the cache before they are counted
  for (std::size_t i = 0; i < count;) {
    std::size_t taken = 0;
    for (; i < count && taken < indices.size(); i += step) {
      if (classes[i] >= class_count_) continue;
      indices[taken] = std::uint32_t{classes[i]} << kClassBits | IndexOf(bgr + 3 * i);
      __builtin_prefetch(&counts_[indices[taken++]], 1);
    }
    for (const std::uint32_t index : std::span(indices).first(taken)) {
      blocks_[index >> kBlockBits] |= kCounted;
      if (++counts_[index] != 0) continue;
      ++wraps_[index];
      blocks_[index >> kBlockBits] = kWrapped;
      counts_[index] = 1;
    }
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
