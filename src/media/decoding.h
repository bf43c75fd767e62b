// Tells whether a decoder is at work on a stranger's bytes, which a run that is to end may have to
// leave.
#pragma once

#include <atomic>

namespace [[gnu::visibility("default")]] skinmask {

// While it lives, a decoder of others works on a stranger's bytes in this thread.
class Decoding {
 public:
  Decoding() noexcept { ++under_way_; }
  ~Decoding() { --under_way_; }
  Decoding(const Decoding&) = delete;
  Decoding& operator=(const Decoding&) = delete;

  // In any thread. May be asked in a signal handler.
  static bool IsUnderWay() noexcept { return under_way_ > 0; }

 private:
  static inline std::atomic<int> under_way_{0};
  static_assert(std::atomic<int>::is_always_lock_free, "read in a signal handler");
};

}  // namespace skinmask
