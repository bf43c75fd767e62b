// ForRowsOf processes the rows of a picture in parallel, and SumOver computes a sum over the rows
// of a table in parallel.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>

namespace [[gnu::visibility("default")]] skinmask {

// Calls row(y) for every row, in parallel if the picture is large enough to gain from it. The loop
// is isolated because a thread that waits in it must not start another picture, which would
// overwrite its thread-local buffers.
template <class Row>
void ForRowsOf(int width, int height, const Row& row) {
  constexpr int kGrainPixels = 1 << 18;
  const int grain = std::max(1, kGrainPixels / std::max(1, width));
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(tbb::blocked_range<int>(0, height, static_cast<std::size_t>(grain)),
                      [&](const tbb::blocked_range<int>& rows) {
                        for (int y = rows.begin(); y < rows.end(); ++y) row(y);
                      });
  });
}

// Returns the sum over [0, count), computed in parts of at most `grain`, so that the result does
// not depend on the number of threads. Sum needs +=; add(first, last, sum) adds items first .. last
// - 1.
template <class Sum, class Add>
Sum SumOver(std::size_t count, std::size_t grain, const Sum& zero, const Add& add) {
  return tbb::parallel_deterministic_reduce(
      tbb::blocked_range<std::size_t>(0, count, grain), zero,
      [&](const tbb::blocked_range<std::size_t>& range, Sum sum) {
        add(range.begin(), range.end(), sum);
        return sum;
      },
      [](Sum a, const Sum& b) {
        a += b;
        return a;
      });
}

}  // namespace skinmask
