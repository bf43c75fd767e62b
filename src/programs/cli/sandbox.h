// Least privilege: before the first file of a stranger is opened, the process gives up what its
// work does not need, so that a decoder that is led astray can do no harm (SECURITY.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/stream.h"

namespace skinmask::cli {

// What the work of a verb needs. Empty paths are passed over, and what does not exist.
struct Access {
  std::vector<std::filesystem::path> reads;    // files, and folders with all below them
  std::vector<std::filesystem::path> folders;  // in which files are made; they exist
  std::vector<std::filesystem::path> files;    // that are made: their folders count, for the part
                                               // file beside each
  // Files and folders to read as well. Of more than a thousand, the folders of the files.
  std::span<const std::string> listed{};
};

// From now on, for this thread and those that it starts (so it comes before the first parallel
// work): no socket but local ones, no other program, no io_uring (seccomp); and, where the kernel
// has Landlock, files are opened for reading only among `reads`, with the targets of the links to
// files in its folders, and the system's libraries, and made or written only below `folders` and
// the folders of `files`. Cannot be undone. Returns one line that says what holds and what the
// kernel does not have; throws nothing. About a millisecond, and a pass over the names in the
// folders.
std::string EnterSandbox(const Access& access);

// No new process, only threads: for one that decodes and does nothing else. Beside the sandbox.
void LeaveProcesses();

// The network alone, for what needs devices, windows and other programs: no sockets but local ones
// and those by which the kernel tells of devices. Returns a line likewise.
std::string LeaveNetwork();

// Landlock, by its system calls: Debian 12 has no library for it, and its header is older than the
// kernels that it runs on. This is a set of rules in the making; without Landlock in the kernel all
// calls do nothing.
class Landlock {
 public:
  Landlock();

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
  Descriptor rules_{-1};
};

}  // namespace skinmask::cli
