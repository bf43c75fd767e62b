// A Pool lends objects that only one thread may use at a time.
#pragma once

#include <tbb/concurrent_queue.h>

#include <utility>

namespace skinmask {

// It makes as many objects as are in use at once, and lends each again.
template <class T>
class Pool {
 public:
  // Calls use(T&) with an object that nobody else uses; make() makes one if all are in use.
  template <class Make, class Use>
  auto With(const Make& make, const Use& use) {
    T one;
    if (!idle_.try_pop(one)) one = make();
    auto result = use(one);
    idle_.push(std::move(one));
    return result;
  }

 private:
  tbb::concurrent_queue<T> idle_;
};

}  // namespace skinmask
