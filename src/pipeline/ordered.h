// Many items in parallel, results in order, memory bounded.
#pragma once

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <cstddef>
#include <exception>
#include <memory>
#include <string>

#include "skinmask/base/error.h"
#include "skinmask/pipeline/run.h"

namespace skinmask {

// Twice as many as threads, so that none waits for the next one to be read or the last to be
// written.
inline std::size_t ItemsInFlight() {
  return 2 * static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
}

// What `call` throws, as one line led by `name()` unless it is an Error; empty if it throws
// nothing.
template <class Name, class Call>
std::string ProblemOf(const Name& name, const Call& call) {
  try {
    call();
    return {};
  } catch (const Error& e) {
    return e.what();
  } catch (const std::exception& e) {
    return Error(name(), e.what()).what();
  }
}

// Calls work(i) for i in [0, count) on all threads and consume(i, result) in order on one at a
// time. A result has a member `pixels`. ItemsInFlight() of them at once, so memory does
// not grow with `count`. An exception in either call goes to run.problem as one line, led by
// name(i) unless it is an Error, and the run goes on.
template <class Work, class Consume, class Name>
void RunOrdered(std::size_t count, const Run& run, const Name& name, const Work& work,
                const Consume& consume) {
  using Result = decltype(work(std::size_t{0}));
  struct Item {
    std::size_t index;
    std::unique_ptr<Result> result;
    std::string problem;
  };
  const auto guarded = [&](Item& item, const auto& call) {
    item.problem = ProblemOf([&] { return name(item.index); }, call);
  };
  std::size_t next = 0;
  std::uint64_t pixels = 0;
  const auto start = [&](tbb::flow_control& control) -> Item* {
    if (next == count || (run.stop && run.stop->load())) {
      control.stop();
      return nullptr;
    }
    return new Item{next++, nullptr, {}};
  };
  const auto compute = [&](Item* item) {
    guarded(*item, [&] { item->result = std::make_unique<Result>(work(item->index)); });
    return item;
  };
  const auto finish = [&](Item* raw) {
    const std::unique_ptr<Item> item(raw);
    if (item->result) {
      pixels += item->result->pixels;
      guarded(*item, [&] { consume(item->index, std::move(*item->result)); });
    }
    if (!item->problem.empty()) run.problem(item->problem);
    run.progress(item->index + 1, count, pixels);
  };
  tbb::parallel_pipeline(
      ItemsInFlight(),
      tbb::make_filter<void, Item*>(tbb::filter_mode::serial_in_order, start) &
          tbb::make_filter<Item*, Item*>(tbb::filter_mode::parallel, compute) &
          tbb::make_filter<Item*, void>(tbb::filter_mode::serial_in_order, finish));
}

}  // namespace skinmask
