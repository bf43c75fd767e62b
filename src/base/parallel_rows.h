// ForRowsOf works on the rows of a picture in parallel, and SumOver adds up what rows of a table
// give.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>

namespace [[gnu::visibility("default")]] skinmask {

// Calls row(y) for every row, in parallel where the picture is large enough to gain by it.
// Isolated: a thread that waits here must not begin another picture, whose buffers are the same.
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

// Sums over [0, count) in parts of at most `grain`, so that they do not depend on the threads. Sum
// needs +=; add(first, last, sum) adds items first .. last - 1.
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
