// ColorMemo keeps answers that are found when a colour is first met.
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

// How many densities a colour's answer takes.
inline std::size_t DensityCount(const Model& model) {
  std::size_t count = 0;
  for (const ClassModel& c : model.classes) count += std::max<std::size_t>(1, c.components.size());
  return count;
}

// The answers to all colours of a model of so many densities take about half a second on two cores.
// Of more they would take up to minutes, which nothing could interrupt: those are kept in a
// ColorMemo, and cost no more than the colours that are there.
inline constexpr std::size_t kMaxDensitiesOfTable = 8;

// Calls take(first, bgr) for each row of 256 colours that share red and green, in parallel: `first`
// is r << 16 | g << 8. Isolated: a thread that waits here must not begin other work, which may wait
// for what is being made here.
inline constexpr std::size_t kColorsOfRow = 256;
template <class Take>
void ForColorRows(const Take& take) {
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(std::size_t{0}, std::size_t{1} << 16, [&](std::size_t red_green) {
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

// A word for each of the 2^24 colours, 0 where it is not known. Of memory (32 MiB) only that is
// taken which holds colours that came. Safe from many threads: two that meet a colour at once find
// the same.
class ColorMemo {
 public:
  using Word = std::uint16_t;

  ColorMemo() : words_(static_cast<Word*>(std::calloc(kColors, sizeof(Word)))) {
    if (!words_) throw std::bad_alloc();
  }

  // Calls use(i, word) for each of the pixels. find(bgr, n, words) finds those that are not known
  // (at most kBlock at a time), none of which is 0.
  template <class Find, class Use>
  void Row(const std::uint8_t* bgr, std::size_t count, const Find& find,
           const Use& use) const noexcept {
    for (std::size_t done = 0; done < count; done += kBlock)
      Block(bgr + 3 * done, done, std::min(kBlock, count - done), find, use);
  }

  static constexpr std::size_t kBlock = 256;

 private:
  static constexpr std::size_t kColors = std::size_t{1} << 24;
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

}  // namespace skinmask
