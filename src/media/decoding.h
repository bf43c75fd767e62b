// Which a run that is to end may have to leave.
#pragma once

namespace [[gnu::visibility("default")]] skinmask {

// While it lives, a decoder of others works on a stranger's bytes in this thread.
class Decoding {
 public:
  Decoding() noexcept;
  ~Decoding();
  Decoding(const Decoding&) = delete;
  Decoding& operator=(const Decoding&) = delete;

  // In any thread. May be asked in a signal handler.
  static bool IsUnderWay() noexcept;
};

}  // namespace skinmask
