// ColorCounter counts the pixels of images by class and colour, fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "skinmask/data/samples.h"

namespace [[gnu::visibility("default")]] skinmask {

// A byte for each class and colour and a word for what does not fit, of which only the pages are
// touched whose colours occur (80 MiB a class at most). About 2 ns a pixel.
class ColorCounter {
 public:
  // Throws Error where SKINMASK_TARGET names no usable CPU target.
  explicit ColorCounter(std::size_t class_count);

  // Counts `count` pixels: bgr holds 3 * count bytes, classes a class index each; pixels of any
  // larger index are passed over. Only every step-th pixel is taken.
  void CountRow(const std::uint8_t* bgr, const std::uint8_t* classes, std::size_t count,
                std::size_t step = 1);

  // Rows of what was counted since the last flush, in canonical order; begins anew.
  std::vector<SampleRow> Flush(std::uint32_t group);
  // The same of several counters of the same classes added up, in parallel, as group 0.
  static std::vector<SampleRow> FlushAll(std::span<ColorCounter* const> counters);

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  template <class T>
  using Zeros = std::unique_ptr<T[], Free>;

  void CountBlock(const std::uint8_t* bgr, const std::uint8_t* classes, std::size_t count);
  std::uint64_t CountAt(std::uint32_t index) const;
  void Clear(std::uint32_t block);
  static void FlushSlice(std::span<ColorCounter* const> counters, std::uint32_t slice,
                         std::uint32_t group, std::vector<SampleRow>& rows);

  std::size_t class_count_;
  Zeros<std::uint8_t> counts_;  // by colour index; never back at 0 once counted
  Zeros<std::uint32_t> wraps_;  // by colour index: how many 255 more
  Zeros<std::uint8_t> blocks_;  // by block of 512 colours: whether anything is in the two above
};

}  // namespace skinmask
