#include "pipeline/ordered.h"

#include <tbb/task_group.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>

namespace skinmask {
namespace {

// If no item is ready, a thread returns to TBB and can process rows of other items. After each step
// a thread continues with the first item that is ready. The first unfinished item never has to
// wait, so the run always makes progress.
class Runner {
 public:
  Runner(const Stages& stages, const std::atomic<bool>* stop)
      : stages_(stages), stop_(stop), turns_(stages.stages.size() + 2) {}

  void Go() {
    Work();
    helpers_.wait();
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  // The steps of an item: `next`, the stages, `finish`.
  struct Item {
    std::size_t step = 0;  // the current or the next step
    bool working = false;
    std::int64_t pixels = 0;
    std::exception_ptr failure;
  };
  std::size_t last_step() const { return stages_.stages.size() + 1; }
  bool IsInOrder(std::size_t step) const {
    return step == 0 || step == last_step() || stages_.stages[step - 1].in_order;
  }

  // The first item that is ready; otherwise a new item, if there is room for it.
  std::optional<std::size_t> Ready() const {
    if (given_up_) return std::nullopt;
    for (const auto& [number, item] : items_)
      if (!item.working && (!IsInOrder(item.step) || turns_[item.step] == number)) return number;
    const bool room = !ended_ && items_.size() < stages_.max_items && turns_[0] == next_;
    return room && !(stop_ && stop_->load()) ? std::optional(next_) : std::nullopt;
  }

  void CallForHelp() {
    if (workers_ >= tbb::this_task_arena::max_concurrency() || !Ready()) return;
    try {
      helpers_.run([this] { Work(); });
      ++workers_;
    } catch (const std::exception&) {
      // No further thread is available; the existing ones do the work.
    }
  }

  void Work() {
    std::unique_lock lock(mutex_);
    while (const std::optional<std::size_t> number = Ready()) {
      Item& item = items_[*number];
      item.working = true;
      next_ = std::max(next_, *number + 1);
      CallForHelp();
      lock.unlock();
      bool is_one = item.step > 0;  // `next` may find none, or throw
      std::exception_ptr thrown;
      try {
        // Isolated, because a thread that waits for the rows of its item must not start another
        // item.
        tbb::this_task_arena::isolate([&] { is_one = Do(*number, item); });
      } catch (const std::exception&) {
        thrown = std::current_exception();
      }
      lock.lock();
      Advance(*number, item, is_one, thrown);
    }
    --workers_;
  }

  bool Do(std::size_t number, const Item& item) {
    const std::size_t place = number % stages_.max_items;
    const TakePixels take = [&](std::int64_t pixels) { Take(number, pixels); };
    if (item.step == 0) return stages_.next(place, take);
    if (item.step == last_step())
      stages_.finish(place, item.failure);
    else if (!item.failure)
      stages_.stages[item.step - 1].work(place, take);
    return true;
  }

  void Advance(std::size_t number, Item& item, bool is_one, const std::exception_ptr& thrown) {
    const bool of_item = item.step > 0 && item.step < last_step();
    if (thrown) (of_item ? item.failure : thrown_) = thrown;
    given_up_ |= thrown && item.step == last_step();
    item.working = false;
    if (IsInOrder(item.step)) ++turns_[item.step];
    ended_ |= !is_one;
    if (!is_one || item.step++ == last_step()) {
      pixels_ -= item.pixels;
      items_.erase(number);
    }
    changed_.notify_all();
  }

  // Waits until the budget has room for `pixels` more pixels of the item.
  void Take(std::size_t number, std::int64_t pixels) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
      return given_up_ || number == items_.begin()->first || pixels_ + pixels <= max_pixels_;
    });
    items_[number].pixels += pixels;
    pixels_ += pixels;
  }

  const Stages& stages_;
  const std::atomic<bool>* const stop_;
  const std::int64_t max_pixels_ = PixelsInFlight();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::size_t, Item> items_;  // in flight, by number
  // For each in-order step, the number of the item whose turn it is.
  std::vector<std::size_t> turns_;
  std::size_t next_ = 0;     // the number of the next new item
  std::int64_t pixels_ = 0;  // of all items
  int workers_ = 1;
  bool ended_ = false;     // no item is left to start
  bool given_up_ = false;  // the run ends at once
  std::exception_ptr thrown_;
  tbb::task_group helpers_;
};

}  // namespace

void RunStages(const Stages& stages, const std::atomic<bool>* stop) { Runner(stages, stop).Go(); }

}  // namespace skinmask
