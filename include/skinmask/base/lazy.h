// Lazy is a value that is computed when it is first used, because it is expensive and may not be
// needed.
#pragma once

#include <memory>
#include <mutex>

namespace [[gnu::visibility("default")]] skinmask {

// The first call of Get computes the value, in whichever thread that call is. Other threads wait.
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
