#include "pipeline/in_flight.h"

namespace skinmask {

std::optional<std::size_t> InFlight::Begin(const std::atomic<bool>* stop) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ended_ || next_ - first_ < most_items_; });
  if (ended_ || (stop && stop->load())) return std::nullopt;
  items_[next_];
  return next_++;
}

void InFlight::End(std::size_t item) {
  const std::lock_guard lock(mutex_);
  pixels_ -= items_[item].pixels;
  items_.erase(item);
  next_ = item;
  ended_ = true;
  changed_.notify_all();
}

void InFlight::Take(std::size_t item, std::int64_t pixels) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return item == first_ || pixels_ + pixels <= most_pixels_; });
  items_[item].pixels += pixels;
  pixels_ += pixels;
}

void InFlight::Computed(std::size_t item, const std::function<void(std::size_t)>& finish) {
  std::unique_lock lock(mutex_);
  items_[item].computed = true;
  if (finishing_) return;
  finishing_ = true;
  while (first_ < next_ && items_[first_].computed) {
    const std::size_t now = first_;
    lock.unlock();
    finish(now);
    lock.lock();
    pixels_ -= items_[now].pixels;
    items_.erase(now);
    ++first_;
    changed_.notify_all();
  }
  finishing_ = false;
}

}  // namespace skinmask
