#include "pipeline/ordered.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <atomic>
#include <future>
#include <numeric>
#include <thread>
#include <vector>

namespace skinmask {
namespace {

TEST(InFlight, TheFirstItemNeverWaitsAndOthersWaitForRoom) {
  InFlight in_flight(5, 100);
  std::vector<std::size_t> finished;
  const auto finish = [&](std::size_t i) { finished.push_back(i); };
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(in_flight.Begin(nullptr), i);
  EXPECT_EQ(in_flight.Begin(nullptr), 4u);
  in_flight.End(4);  // there was none
  EXPECT_EQ(in_flight.Begin(nullptr), std::nullopt);
  in_flight.Take(2, 60);
  in_flight.Take(1, 40);
  in_flight.Take(0, 1000);  // beyond all there is
  auto last = std::async(std::launch::async, [&] { in_flight.Take(3, 50); });
  in_flight.Computed(2, finish);
  in_flight.Computed(1, finish);
  EXPECT_TRUE(finished.empty());
  in_flight.Computed(0, finish);
  EXPECT_EQ(finished, (std::vector<std::size_t>{0, 1, 2}));
  last.get();
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
