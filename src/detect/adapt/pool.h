// A Pool lends objects that only one thread may use at a time.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

namespace skinmask {

// It makes as many objects as are in use at once, and lends each again.
template <class T>
class Pool {
 public:
  // Calls use(T&) with an object that nobody else uses; make() makes one if all are in use.
  template <class Make, class Use>
  auto With(const Make& make, const Use& use) {
    T one = Take(make);
    auto result = use(one);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(one));
    return result;
  }

 private:
  template <class Make>
  T Take(const Make& make) {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        T one = std::move(idle_.back());
        idle_.pop_back();
        return one;
      }
    }
    return make();
  }

  std::mutex mutex_;
  std::vector<T> idle_;
};

}  // namespace skinmask
