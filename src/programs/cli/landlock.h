// Landlock, by its system calls: Debian 12 has no library for it, and its header is older than the
// kernels that it runs on.
#pragma once

#include <cstdint>
#include <filesystem>

namespace skinmask::cli {

// A set of rules in the making. Without Landlock in the kernel all calls do nothing.
class Landlock {
 public:
  Landlock();
  ~Landlock();
  Landlock(const Landlock&) = delete;
  Landlock& operator=(const Landlock&) = delete;

  // The version of the kernel's interface; 0: it has none.
  int version() const { return version_; }
  // Reading a file, or all below a folder. What is not there, or no file of a disk, is passed over.
  void AllowReading(const std::filesystem::path& path);
  // Making, reading, writing, replacing and removing files and folders below a folder.
  void AllowMaking(const std::filesystem::path& folder);
  // Writing to a file that exists.
  void AllowWriting(const std::filesystem::path& file);
  // What no rule allows is denied from now on to this thread and those it starts: reading, writing
  // and running files, and connections by TCP (version 4). False where the kernel refuses.
  bool Enforce();

 private:
  void Allow(const std::filesystem::path& path, std::uint64_t rights);
  int version_ = 0;
  int rules_ = -1;
};

}  // namespace skinmask::cli
