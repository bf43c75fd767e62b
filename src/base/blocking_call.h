// Counts the calls under way that may never return. A run that is to end may have to abandon them.
#pragma once

#include <atomic>

namespace [[gnu::visibility("default")]] skinmask {

// While an object exists, its thread runs a call that may never return: a decoder of untrusted
// bytes, or a write to a pipe whose reader may not read.
class BlockingCall {
 public:
  BlockingCall() noexcept { ++under_way_; }
  ~BlockingCall() { --under_way_; }
  BlockingCall(const BlockingCall&) = delete;
  BlockingCall& operator=(const BlockingCall&) = delete;

  // True if any thread has such an object. Safe in a signal handler.
  static bool IsUnderWay() noexcept { return under_way_ > 0; }

 private:
  static inline std::atomic<int> under_way_{0};
  static_assert(std::atomic<int>::is_always_lock_free, "read in a signal handler");
};

}  // namespace skinmask
