// Streams read and write files and pipes piece by piece. What waits for a pipe is ended by
// StopWaitsBy (base/file.h).
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace [[gnu::visibility("default")]] skinmask {

// An open descriptor, closed at the end of its scope. The names of the standard streams mean those
// streams, which are not opened anew.
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
  // It is the caller's from now on.
  int Release() { return std::exchange(fd_, -1); }
  // close(2) reports what a network file system could not store.
  bool Close();

 private:
  int fd_;
};

// Throws WaitStopped once the flag of StopWaitsBy is set: for whatever takes long.
void RequireNoStop(const std::filesystem::path& path);

// Set where the kernel keeps files from this process that their modes allow.
extern std::atomic<bool> is_confined;
// Throws Error: "PATH: cannot be read: No such file or directory".
[[noreturn]] void FailBy(const std::filesystem::path& path, const std::string& action, int error);

// True for what is written to as it is: pipes, devices, and /dev/stdout wherever it leads.
bool IsSpecial(const std::filesystem::path& path);

// An open file that is read piece by piece. Of a pipe that nobody writes to, read(2) gives nothing,
// as at its end; while there is a writer that has nothing yet, it asks to come again.
class InputStream {
 public:
  // Throws Error for what cannot be opened, for folders, and for devices that are no descriptor of
  // this process.
  explicit InputStream(const std::filesystem::path& path);

  // How many bytes there are from here on; 0 where that is not told, as pipes do not.
  std::uint64_t size() const { return size_; }
  // Some bytes, at most `size`; 0 at the end of the file. Throws Error where they cannot be read,
  // and for a pipe to which nobody writes within three seconds.
  std::size_t ReadSome(char* to, std::size_t size);
  // Appends until there are `size` bytes. False at the end of the file.
  bool Read(std::string& bytes, std::size_t size);
  // Goes on by `count` bytes without reading them, or not at all: returns how many. May lead past
  // the end.
  std::uint64_t Skip(std::uint64_t count);

 private:
  std::filesystem::path path_;
  Descriptor file_;
  std::uint64_t size_ = 0;
  bool regular_;
  bool begun_;  // there is, or was, something to read or somebody who writes
};

// A file that is written piece by piece, to `unfinished`; messages speak of `path`. Pipes are
// waited for.
class OutputStream {
 public:
  // `unfinished` is made, and must not be there; what is no regular file is opened as it is.
  OutputStream(const std::filesystem::path& path, const std::filesystem::path& unfinished);
  void Write(std::string_view bytes);
  void Close();

 private:
  std::filesystem::path path_;
  bool regular_;
  Descriptor file_;
};

}  // namespace skinmask
