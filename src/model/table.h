// Tables of results by colour, for models that are not quadratics: of all colours, or in a
// ColorMemo of those that have occurred.
#pragma once

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "skinmask/model/model.h"

namespace skinmask {

// The index of a colour is r << 16 | g << 8 | b.
inline constexpr std::size_t kColors = std::size_t{1} << 24;

// All colours of a model with this many densities take about half a second on two cores. With more
// densities they would take up to minutes, which cannot be interrupted; then a ColorMemo computes
// only the colours that occur.
inline constexpr std::size_t kMaxDensitiesOfTable = 8;
// The number of densities that a colour needs.
std::size_t DensityCount(const Model& model);

// Calls take(first, bgr) for each row of 256 colours with the same red and green, in parallel;
// `first` is r << 16 | g << 8. Isolated, because a thread that waits here must not begin other
// work, which may wait for the table.
inline constexpr std::size_t kColorsOfRow = 256;
template <class Take>
void ForColorRows(const Take& take) {
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(std::size_t{0}, kColors / kColorsOfRow, [&](std::size_t red_green) {
      std::array<std::uint8_t, 3 * kColorsOfRow> bgr;
      for (std::size_t b = 0; b < kColorsOfRow; ++b) {
        bgr[3 * b] = static_cast<std::uint8_t>(b);
        bgr[3 * b + 1] = static_cast<std::uint8_t>(red_green);
        bgr[3 * b + 2] = static_cast<std::uint8_t>(red_green >> 8);
      }
      take(red_green * kColorsOfRow, bgr.data());
    });
  });
}

// A word for each of the 2^24 colours, 0 if it is not yet known. Of its 32 MiB only the pages with
// colours that have occurred take memory. Safe from many threads: two threads that compute a colour
// at the same time get the same word.
class ColorMemo {
 public:
  using Word = std::uint16_t;

  ColorMemo() : words_(static_cast<Word*>(std::calloc(kColors, sizeof(Word)))) {
    if (!words_) throw std::bad_alloc();
  }

  // Calls use(i, word) for each pixel. find(bgr, n, words) computes the words of unknown colours,
  // at most kBlock at a time; none is 0.
  template <class Find, class Use>
  void Row(const std::uint8_t* bgr, std::size_t count, const Find& find,
           const Use& use) const noexcept {
    for (std::size_t done = 0; done < count; done += kBlock)
      Block(bgr + 3 * done, done, std::min(kBlock, count - done), find, use);
  }

  static constexpr std::size_t kBlock = 256;

 private:
  struct Free {
    void operator()(Word* words) const { std::free(words); }
  };

  std::atomic_ref<Word> At(const std::uint8_t* bgr) const {
    return std::atomic_ref(words_[std::size_t{bgr[2]} << 16 | std::size_t{bgr[1]} << 8 | bgr[0]]);
  }

  template <class Find, class Use>
  void Block(const std::uint8_t* bgr, std::size_t first, std::size_t count, const Find& find,
             const Use& use) const noexcept {
    std::array<std::uint8_t, 3 * kBlock> unknown;
    std::array<std::size_t, kBlock> places;
    std::size_t unknowns = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (const Word word = At(bgr + 3 * i).load(std::memory_order_relaxed)) {
        use(first + i, word);
        continue;
      }
      std::copy_n(bgr + 3 * i, 3, &unknown[3 * unknowns]);
      places[unknowns++] = first + i;
    }
    if (unknowns == 0) return;
    std::array<Word, kBlock> found;
    find(unknown.data(), unknowns, found.data());
    for (std::size_t i = 0; i < unknowns; ++i) {
      At(&unknown[3 * i]).store(found[i], std::memory_order_relaxed);
      use(places[i], found[i]);
    }
  }

  std::unique_ptr<Word[], Free> words_;
};

// 255 where the colour's bit is set, else 0. `bits` has one bit for each of the 2^24 colours r <<
// 16 | g << 8 | b, lowest first.
void BitOfColorRow(const std::uint32_t* bits, const std::uint8_t* bgr, std::size_t count,
                   std::uint8_t* mask) noexcept;

}  // namespace skinmask
