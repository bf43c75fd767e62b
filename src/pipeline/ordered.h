// Many items in parallel, results in order, memory bounded.
#pragma once

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/in_flight.h"
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

// What `call` throws, as a problem of the input `name()`; absent if it throws nothing, or was
// stopped while it waited, which is no fault of the input.
template <class Name, class Call>
std::optional<Problem> ProblemOf(const Name& name, const Call& call) {
  try {
    call();
    return std::nullopt;
  } catch (const WaitStopped&) {
    return std::nullopt;
  } catch (const std::exception& e) {
    return Problem(name(), e);
  }
}

// Calls work(input, take) for each input on all threads, and consume(input, result) in order on one
// at a time. next(take) gives the inputs in order, one call at a time, and at the end none; `total`
// is their number, or 0 where it is not known. A result has a member `pixels`. ItemsInFlight() of
// them at once, and PixelsInFlight() of those that `take` is told of, so memory does not grow with
// their number. An exception in `work` or `consume` goes to run.problem as one of name(input), and
// the run goes on; one in `next` ends it, when all inputs before are done.
template <class Next, class Work, class Consume, class Name>
void RunOrderedFrom(const Next& next, std::size_t total, const Run& run, const Name& name,
                    const Work& work, const Consume& consume) {
  using Input = typename decltype(next(TakePixels()))::value_type;
  using Result = decltype(work(std::declval<Input&>(), TakePixels()));
  struct Item {
    std::optional<Input> input;
    std::unique_ptr<Result> result;
    std::optional<Problem> problem;
  };
  std::vector<Item> items(ItemsInFlight());  // each in the place of one that is finished
  InFlight in_flight(items.size(), PixelsInFlight());
  std::uint64_t pixels = 0;
  std::mutex reading;
  std::exception_ptr broken;
  const auto begin = [&]() -> std::optional<std::size_t> {
    const std::lock_guard lock(reading);
    const std::optional<std::size_t> i = in_flight.Begin(run.stop);
    if (!i) return std::nullopt;
    Item& item = items[*i % items.size()];
    try {
      item.input = next([&](std::int64_t more) { in_flight.Take(*i, more); });
    } catch (const std::exception&) {
      broken = std::current_exception();
    }
    if (item.input) return i;
    in_flight.End(*i);
    return std::nullopt;
  };
  const auto compute = [&](std::size_t i) {
    Item& item = items[i % items.size()];
    const TakePixels take = [&](std::int64_t more) { in_flight.Take(i, more); };
    item.problem =
        ProblemOf([&] { return name(*item.input); },
                  [&] { item.result = std::make_unique<Result>(work(*item.input, take)); });
  };
  const auto finish = [&](std::size_t i) {
    Item item = std::exchange(items[i % items.size()], Item());
    if (item.result) {
      pixels += item.result->pixels;
      item.problem = ProblemOf([&] { return name(*item.input); },
                               [&] { consume(*item.input, std::move(*item.result)); });
    }
    if (item.problem) run.problem(*item.problem);
    run.progress(i + 1, total, pixels);
  };
  // Isolated: a thread that waits for the rows of its item must not begin another one on top of it.
  const auto work_on = [&] {
    while (const std::optional<std::size_t> i = begin())
      tbb::this_task_arena::isolate([&] {
        compute(*i);
        in_flight.Computed(*i, finish);
      });
  };
  tbb::task_group others;
  try {
    for (int i = 1; i < tbb::this_task_arena::max_concurrency(); ++i) others.run(work_on);
  } catch (const std::exception&) {
    // The system gives no further thread: those that there are do the work.
  }
  work_on();
  others.wait();
  if (broken) std::rethrow_exception(broken);
}

// The same for the inputs 0 to count - 1.
template <class Work, class Consume, class Name>
void RunOrdered(std::size_t count, const Run& run, const Name& name, const Work& work,
                const Consume& consume) {
  std::size_t begun = 0;
  const auto next = [&](const TakePixels&) {
    return begun < count ? std::optional(begun++) : std::nullopt;
  };
  RunOrderedFrom(next, count, run, name, work, consume);
}

}  // namespace skinmask
