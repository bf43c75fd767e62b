// Many items in parallel, results in order, memory bounded.
#pragma once

#include <tbb/task_arena.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "skinmask/base/error.h"
#include "skinmask/pipeline/run.h"

namespace skinmask {

// Twice as many as threads, so that none waits for the next one to be read or the last to be
// written.
inline std::size_t ItemsInFlight() {
  return 2 * static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
}

// Pixels in flight: two photographs of 16 megapixels for each thread. With all outputs of `detect`
// a pixel takes some 30 bytes until it is written.
inline std::int64_t PixelsInFlight() {
  constexpr std::int64_t kOfThread = std::int64_t{1} << 25;
  return kOfThread * tbb::this_task_arena::max_concurrency();
}

// Takes a number of pixels from the budget, for the item that is worked on; it may wait.
using TakePixels = std::function<void(std::int64_t pixels)>;

// A stage of the work on items. They are named by the places that they have while they are in
// flight, from 0 on, each of which goes to another item when that is finished.
struct Stage {
  bool in_order = false;  // for one item at a time, in their order; else for many at once
  std::function<void(std::size_t place, const TakePixels& take)> work;
};

struct Stages {
  // Puts the next item into the place; false: there is none. For one place at a time.
  std::function<bool(std::size_t place, const TakePixels& take)> next;
  std::vector<Stage> stages;
  // In order. `failure` is what a stage threw, which spares the item the others; or null.
  std::function<void(std::size_t place, std::exception_ptr failure)> finish;
  std::size_t max_items = ItemsInFlight();  // at a time
};

// Takes items through stages on all threads: no more than `max_items` at once, and of what they
// `take` no more than PixelsInFlight() and the pixels of one item, so memory does not grow with
// their number. Where `stop` is set, those that are begun are finished. An exception of `next` ends
// the run when all items before are finished, one of `finish` at once.
void RunStages(const Stages& stages, const std::atomic<bool>* stop);

// What `call` throws, as a problem of the input `name()`; absent if it throws nothing, or was
// stopped while it waited, which is no fault of the input.
template <class Name, class Call>
std::optional<Problem> ProblemOf(const Name& name, const Call& call) {
  try {
    call();
  } catch (const WaitStopped&) {
  } catch (const std::exception& e) {
    return Problem(name(), e);
  }
  return std::nullopt;
}

// Calls work(i, take) for the inputs 0 to count - 1 on all threads, and consume(i, result) in order
// on one at a time. A result has a member `pixels`. An exception in either goes to run.problem as
// one of name(i), and the run goes on.
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
    const auto problem = ProblemOf([&] { return name(i); },
                                   [&] {
                                     if (failure) std::rethrow_exception(failure);
                                     pixels += result->pixels;
                                     consume(i, std::move(*result));
                                   });
    if (problem) run.problem(*problem);
    run.progress(i + 1, count, pixels);
  };
  RunStages(stages, run.stop);
}

}  // namespace skinmask
