#include "pipeline/ordered.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace skinmask {
namespace {

// Two threads: one works on the first item until the other waits for room for the third.
TEST(RunStages, TheFirstItemNeverWaitsAndOthersWaitForRoom) {
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 2);
  const std::int64_t most = PixelsInFlight();
  std::atomic<int> begun = 0, waited = 0;
  std::atomic<bool> first_took = false, first_done = false;
  Stages stages;
  std::vector<int> items(stages.max_items), finished;
  stages.next = [&](std::size_t place, const TakePixels&) {
    items[place] = begun;
    return begun++ < 3;
  };
  stages.stages = {{false, [&](std::size_t place, const TakePixels& take) {
                      if (items[place] == 0) {
                        take(10 * most);  // beyond all there is
                        first_took = true;
                        while (waited == 0) std::this_thread::yield();
                        std::this_thread::sleep_for(std::chrono::milliseconds(20));
                        first_done = true;
                      } else {
                        while (!first_took) std::this_thread::yield();  // before it there is room
                        ++waited;
                        take(1);
                        EXPECT_TRUE(first_done);
                      }
                    }}};
  stages.finish = [&](std::size_t place, std::exception_ptr) { finished.push_back(items[place]); };
  RunStages(stages, nullptr);
  EXPECT_EQ(finished, (std::vector<int>{0, 1, 2}));
}

// Stages in order see one item after the other, however long those before them take; what fails is
// spared the rest, and what `finish` throws ends all.
TEST(RunStages, KeepOrderAndTellOfFailures) {
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 4);
  for (const int last : {1000, 30}) {
    int begun = 0, followed = 0, finished = 0;
    Stages stages;
    std::vector<int> items(stages.max_items);
    stages.next = [&](std::size_t place, const TakePixels&) {
      items[place] = begun;
      return begun++ < 100;
    };
    stages.stages = {
        {false,
         [&](std::size_t place, const TakePixels&) {
           std::this_thread::sleep_for(std::chrono::microseconds(items[place] % 7));
         }},
        {true,
         [&](std::size_t place, const TakePixels&) {
           EXPECT_EQ(items[place], followed++);
           if (items[place] % 10 == 3) throw std::runtime_error("a three");
         }},
        {false, [&](std::size_t place, const TakePixels&) { EXPECT_NE(items[place] % 10, 3); }}};
    stages.finish = [&](std::size_t place, std::exception_ptr failure) {
      EXPECT_EQ(items[place], finished++);
      EXPECT_EQ(failure != nullptr, items[place] % 10 == 3);
      if (items[place] == last) throw std::runtime_error("the last");
    };
    if (last < 100)
      EXPECT_THROW(RunStages(stages, nullptr), std::runtime_error);
    else
      RunStages(stages, nullptr);
    EXPECT_EQ(finished, std::min(last + 1, 100));
  }
}

// An end of the source by an exception comes after what is begun; so does one by a stop.
TEST(RunStages, FinishWhatIsBegun) {
  std::atomic<bool> stop = false;
  for (const bool throws : {true, false}) {
    int begun = 0, finished = 0;
    Stages stages;
    stages.next = [&](std::size_t, const TakePixels&) {
      if (begun == 20 && throws) throw std::runtime_error("no more");
      stop = begun == 20;
      return ++begun > 0;
    };
    stages.finish = [&](std::size_t, std::exception_ptr) { ++finished; };
    if (throws)
      EXPECT_THROW(RunStages(stages, &stop), std::runtime_error);
    else
      RunStages(stages, &stop);
    EXPECT_EQ(finished, begun);
    stop = false;
  }
}

// A slow first item, others that wait behind it for their turn, and a large one that waits for room
// with the only other thread: whoever ends the first must finish those before it waits itself.
TEST(RunOrdered, LargeItemsBehindASlowOneEnd) {
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 2);
  const std::int64_t most = PixelsInFlight();
  const std::vector<std::int64_t> sizes{1, most * 4 / 9, most * 4 / 9, most * 2, most / 5};
  std::atomic<std::size_t> begun = 0;
  std::vector<std::size_t> done;
  struct Result {
    std::uint64_t pixels;
  };
  RunOrdered(
      sizes.size(), skinmask::Run{}, [](std::size_t) { return std::string(); },
      [&](std::size_t i, const TakePixels& take) {
        begun = std::max<std::size_t>(begun, i);
        take(sizes[i]);
        if (i == 0)  // until the other thread is at the large one, and waits for its room
          for (int n = 0; n < 500 && begun < 3; ++n)
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        if (i == 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return Result{1};
      },
      [&](std::size_t i, Result&&) { done.push_back(i); });
  EXPECT_EQ(done, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

// Items of all sizes, some beyond the whole budget, more threads than cores: all are done, in
// order, and no more is taken at a time than the budget and one item.
TEST(RunOrdered, StaysWithinTheBudgetOfPixels) {
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 8);
  const std::int64_t most = PixelsInFlight();
  constexpr std::size_t kItems = 400;
  std::atomic<std::int64_t> in_flight = 0, largest = 0;
  std::vector<std::size_t> done;
  const auto size_of = [&](std::size_t i) { return i % 7 == 0 ? 2 * most : most / 9; };
  struct Result {
    std::uint64_t pixels;
  };
  RunOrdered(
      kItems, skinmask::Run{}, [](std::size_t) { return std::string(); },
      [&](std::size_t i, const TakePixels& take) {
        take(size_of(i) / 2);
        take(size_of(i) / 2);
        const std::int64_t now = in_flight += size_of(i);
        for (std::int64_t seen = largest; seen < now && !largest.compare_exchange_weak(seen, now);)
          ;
        return Result{1};
      },
      [&](std::size_t i, Result&&) {
        in_flight -= size_of(i);
        done.push_back(i);
      });
  std::vector<std::size_t> all(kItems);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(done, all);
  EXPECT_LE(largest, most + 2 * most);
}

}  // namespace
}  // namespace skinmask
