// ColorCounter counts pixels by class and colour, fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "skinmask/data/samples.h"

namespace [[gnu::visibility("default")]] skinmask {

// Memory: for each class and colour one byte, and one 32-bit word for the overflow. Only the pages
// of colours that occur are touched (at most 80 MiB a class). Cost: some 2.5 ns a pixel.
class ColorCounter {
 public:
  explicit ColorCounter(std::size_t class_count);

  // Counts `count` pixels: bgr holds 3 * count bytes and classes holds one class index a pixel.
  // Pixels with a larger index than the classes have are skipped. Only every step-th pixel is
  // counted.
  void CountRow(const std::uint8_t* bgr, const std::uint8_t* classes, std::size_t count,
                std::size_t step = 1);

  // Returns the counts since the last flush as rows in canonical order, and resets them to 0.
  std::vector<SampleRow> Flush(std::uint32_t group);
  // The same for the sum of several counters with the same classes, as group 0. Runs in parallel.
  static std::vector<SampleRow> FlushAll(std::span<ColorCounter* const> counters);

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  template <class T>
  using Zeros = std::unique_ptr<T[], Free>;

  std::uint64_t CountAt(std::uint32_t index) const;
  void Clear(std::uint32_t block);
  static void FlushSlice(std::span<ColorCounter* const> counters, std::uint32_t slice,
                         std::uint32_t group, std::vector<SampleRow>& rows);

  std::size_t class_count_;
  Zeros<std::uint8_t> counts_;  // by colour index; a byte that was counted never returns to 0
  Zeros<std::uint32_t> wraps_;  // by colour index: how often 255 must be added to counts_
  Zeros<std::uint8_t> blocks_;  // by block of 512 colours: 0 if all its counts are 0
};

}  // namespace skinmask
