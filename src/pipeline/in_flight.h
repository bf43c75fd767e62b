// Items in flight: how many, how large, and whose turn it is.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>

namespace skinmask {

// Items are begun in order by any of several threads, and finished in order. The
// first unfinished one never waits, and whoever computed it finishes it and all that wait behind it
// before it begins another: so some thread can always go on. Safe from many threads.
class InFlight {
 public:
  // At most `most_items` are begun and not finished, and of what they take no more than
  // `most_pixels` and the pixels of one item.
  InFlight(std::size_t most_items, std::int64_t most_pixels)
      : most_items_(most_items), most_pixels_(most_pixels) {}

  // The next item, when there is room for one; absent after the end, or where `stop` is set.
  std::optional<std::size_t> Begin(const std::atomic<bool>* stop);
  // The item that was begun last is none, and none comes after it.
  void End(std::size_t item);
  // Waits until there is room for so many pixels more of an item that was begun.
  void Take(std::size_t item, std::int64_t pixels);
  // An item is computed. Calls finish(i) for all that can be finished, in order and one at a time,
  // unless another thread is doing that already, which then goes on to this one.
  void Computed(std::size_t item, const std::function<void(std::size_t)>& finish);

 private:
  const std::size_t most_items_;
  const std::int64_t most_pixels_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_ = 0, first_ = 0;  // to begin, and unfinished
  struct State {
    std::int64_t pixels = 0;
    bool computed = false;
  };
  std::map<std::size_t, State> items_;  // first_ .. next_ - 1
  std::int64_t pixels_ = 0;             // of all of them
  bool ended_ = false;                  // nothing is left to begin
  bool finishing_ = false;              // a thread is in `finish`
};

}  // namespace skinmask
