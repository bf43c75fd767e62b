// Processes many items in parallel, with results in order and bounded memory.
#pragma once

#include <tbb/task_arena.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "skinmask/base/error.h"
#include "skinmask/pipeline/run.h"

namespace skinmask {

// Twice the number of threads, so that no thread waits for the next item to be read or the last one
// to be written.
inline std::size_t ItemsInFlight() {
  return 2 * static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
}

// The limit for pixels in flight: two photographs of 16 megapixels for each thread. With all
// outputs of `detect` a pixel takes about 30 bytes until it is written.
inline std::int64_t PixelsInFlight() {
  constexpr std::int64_t kOfThread = std::int64_t{1} << 25;
  return kOfThread * tbb::this_task_arena::max_concurrency();
}

// Takes pixels from the budget for the current item. May wait.
using TakePixels = std::function<void(std::int64_t pixels)>;

// A stage of the processing of items. An item in flight is identified by its place, a slot number
// from 0; the slot is reused when the item is finished.
struct Stage {
  bool in_order = false;  // one item at a time, in order; otherwise many at once
  std::function<void(std::size_t place, const TakePixels& take)> work;
};

struct Stages {
  // Puts the next item into the place; returns false if there is none. Called for one place at a
  // time.
  std::function<bool(std::size_t place, const TakePixels& take)> next;
  std::vector<Stage> stages;
  // Called in order. `failure` is the exception of a stage, after which the item skips its other
  // stages; or null.
  std::function<void(std::size_t place, std::exception_ptr failure)> finish;
  std::size_t max_items = ItemsInFlight();  // at a time
};

// Takes items through the stages on all threads. At most `max_items` items are in flight, and they
// hold at most PixelsInFlight() pixels, plus those of one item, so memory does not grow with the
// number of items. When `stop` is set, items in flight are finished and no new one is started. An
// exception of `next` ends the run after all earlier items are finished; an exception of `finish`
// ends it at once. Both are rethrown.
void RunStages(const Stages& stages, const std::atomic<bool>* stop);

// Calls work(i, take) for the inputs 0 to count - 1 on all threads, and consume(i, result) in
// order, one at a time. A result has a member `pixels`. An exception of either is reported to
// run.problem as a problem of name(i), and the run continues.
template <class Work, class Consume, class Name>
void RunOrdered(std::size_t count, const Run& run, const Name& name, const Work& work,
                const Consume& consume) {
  using Result = decltype(work(std::size_t{}, TakePixels()));
  Stages stages;
  std::vector<std::pair<std::size_t, std::unique_ptr<Result>>> items(stages.max_items);
  std::size_t begun = 0;
  std::uint64_t pixels = 0;
  stages.next = [&](std::size_t place, const TakePixels&) {
    items[place].first = begun;
    return begun++ < count;
  };
  stages.stages = {{false, [&](std::size_t place, const TakePixels& take) {
                      auto& [i, result] = items[place];
                      result = std::make_unique<Result>(work(i, take));
                    }}};
  stages.finish = [&](std::size_t place, std::exception_ptr failure) {
    const std::size_t i = items[place].first;
    const std::unique_ptr<Result> result = std::move(items[place].second);
    try {
      if (failure) std::rethrow_exception(failure);
      pixels += result->pixels;
      consume(i, std::move(*result));
    } catch (const WaitStopped&) {  // an interrupt is not a failure of the input
    } catch (const std::exception& e) {
      run.problem(Problem(name(i), e));
    }
    run.progress(i + 1, count, pixels);
  };
  RunStages(stages, run.stop);
}

}  // namespace skinmask
