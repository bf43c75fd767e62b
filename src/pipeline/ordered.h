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

// Calls work(i) for i in [0, count) on all threads and consume(i, result) in order on one at a
// time. A result has a member `pixels`. Twice as many items as threads are in flight, so memory
// does not grow with `count`. An exception in either call goes to run.problem as one line, led by
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
    try {
      call();
    } catch (const Error& e) {
      item.problem = e.what();
    } catch (const std::exception& e) {
      item.problem = Error(name(item.index), e.what()).what();
    }
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
  const auto in_flight = 2 * static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  tbb::parallel_pipeline(
      in_flight, tbb::make_filter<void, Item*>(tbb::filter_mode::serial_in_order, start) &
                     tbb::make_filter<Item*, Item*>(tbb::filter_mode::parallel, compute) &
                     tbb::make_filter<Item*, void>(tbb::filter_mode::serial_in_order, finish));
}

}  // namespace skinmask
