// Streams read and write files and pipes piece by piece. StopWaitsBy (base/file.h) ends their waits
// for pipes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "skinmask/base/error.h"

namespace [[gnu::visibility("default")]] skinmask {

// An open file descriptor, closed by the destructor. The names of the standard streams stand for
// duplicates of their open descriptors; nothing is opened anew.
class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags);
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor();
  Descriptor(Descriptor&& from) noexcept : fd_(std::exchange(from.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& from) noexcept {
    std::swap(fd_, from.fd_);
    return *this;
  }
  int get() const { return fd_; }
  // The caller owns the descriptor from now on.
  int Release() { return std::exchange(fd_, -1); }
  // Returns false if close(2) fails, as it does where a network file system could not store the
  // data.
  bool Close();

 private:
  int fd_;
};

// Throws WaitStopped once the flag of StopWaitsBy is set. Long computations call it, too.
void RequireNoStop(const std::filesystem::path& path);

// True if the sandbox denies this process files that their modes would allow.
extern std::atomic<bool> is_confined;
// An output cannot be written, because the disk is full for example. No input is to blame, so it is
// not among the failures that a run may tolerate (Problem::tolerable).
class WriteError : public Error {
 public:
  using Error::Error;
};

// Throws Error: "PATH: cannot be read: No such file or directory".
[[noreturn]] void FailBy(const std::filesystem::path& path, const std::string& action, int error);
// Throws WriteError: "PATH: cannot be written: No space left on device".
[[noreturn]] void FailToWrite(const std::filesystem::path& path, int error);

// True for what is written directly: pipes, devices, and /dev/stdout wherever it leads.
bool IsSpecial(const std::filesystem::path& path);

// An open file that is read piece by piece. A pipe is opened without waiting for its writer:
// read(2) then returns 0 while there is no writer, and EAGAIN while a writer has no data yet.
class InputStream {
 public:
  // Throws Error if `path` cannot be opened, is a folder, or is a device that is not a descriptor
  // of this process.
  explicit InputStream(const std::filesystem::path& path);

  // The number of bytes from the current position to the end; 0 if unknown, as for pipes.
  std::uint64_t size() const { return size_; }
  // Reads at most `size` bytes and returns their number; 0 means the end of the file. Throws Error
  // if reading fails, and for a pipe that nobody opens for writing within three seconds.
  std::size_t ReadSome(char* to, std::size_t size);
  // Appends until `bytes` has `size` bytes. Returns false at the end of the file.
  bool Read(std::string& bytes, std::size_t size);
  // Skips `count` bytes without reading them, if the file allows it. Returns the number of skipped
  // bytes, `count` or 0. The new position may be past the end.
  std::uint64_t Skip(std::uint64_t count);

 private:
  std::filesystem::path path_;
  Descriptor file_;
  std::uint64_t size_ = 0;
  bool regular_;
  bool begun_;  // there is, or was, data or a writer
};

// A file that is written piece by piece under the name `unfinished`; errors name `path`. Writes to
// a pipe wait for its reader.
class OutputStream {
 public:
  // Creates `unfinished`, which must not exist; if `path` is not a regular file, opens `path`
  // itself.
  OutputStream(const std::filesystem::path& path, const std::filesystem::path& unfinished);
  void Write(std::string_view bytes);
  void Close();

 private:
  std::filesystem::path path_;
  bool regular_;
  Descriptor file_;
};

}  // namespace skinmask
