// ForRowsOf works on the rows of a picture in parallel.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
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

}  // namespace skinmask
