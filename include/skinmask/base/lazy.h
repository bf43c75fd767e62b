// A value that takes its time, and may not be needed.
#pragma once

#include <memory>
#include <mutex>

namespace [[gnu::visibility("default")]] skinmask {

// Made at the first call of Get, by whichever thread it comes from.
template <class T>
class Lazy {
 public:
  template <class Make>
  const T& Get(const Make& make) const {
    std::call_once(once_, [&] { value_ = std::make_unique<const T>(make()); });
    return *value_;
  }

 private:
  mutable std::once_flag once_;
  mutable std::unique_ptr<const T> value_;
};

}  // namespace skinmask
