// Tells whether something is under way that may never end, which a run that is to end may have to
// leave.
#pragma once

#include <atomic>

namespace [[gnu::visibility("default")]] skinmask {

// While it lives, this thread is in the hands of others: of a decoder that works on a stranger's
// bytes, or of whoever is to read what is written to a pipe.
class MayNotReturn {
 public:
  MayNotReturn() noexcept { ++under_way_; }
  ~MayNotReturn() { --under_way_; }
  MayNotReturn(const MayNotReturn&) = delete;
  MayNotReturn& operator=(const MayNotReturn&) = delete;

  // In any thread. May be asked in a signal handler.
  static bool IsUnderWay() noexcept { return under_way_ > 0; }

 private:
  static inline std::atomic<int> under_way_{0};
  static_assert(std::atomic<int>::is_always_lock_free, "read in a signal handler");
};

}  // namespace skinmask
