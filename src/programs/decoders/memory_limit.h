// How much memory a process that decodes may have.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>

namespace skinmask {

// Memory that a decoder may have beside what it began with: so much, and so much for each pixel
// that its header tells of. What goes beyond is refused by the system, as if there were no more.
class MemoryLimit {
 public:
  // `bytes` are those of the file, which is mapped twice: as it was before, and as it is.
  void SetFor(std::int64_t pixels, std::uint64_t bytes) const {
#ifndef SKINMASK_SANITIZED  // whose tables are as large as all memory
    constexpr std::uint64_t kBytes = std::uint64_t{1} << 30;
    constexpr std::uint64_t kBytesOfPixel = 128;
    static const std::uint64_t of_threads =  // their stacks; decoders of AV1 have one for each core
        std::uint64_t{16 << 20} * static_cast<std::uint64_t>(sysconf(_SC_NPROCESSORS_ONLN));
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur =
        std::min<rlim_t>(limit.rlim_max, begun_ + kBytes + of_threads + bytes +
                                             kBytesOfPixel * static_cast<std::uint64_t>(pixels));
    setrlimit(RLIMIT_AS, &limit);
#else
    static_cast<void>(pixels), static_cast<void>(bytes);
#endif
  }

 private:
  static std::uint64_t Now() {
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  }
  const std::uint64_t begun_ = Now();
};

}  // namespace skinmask
