#include "base/stream.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "skinmask/base/file.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

int Open(const fs::path& path, int flags) {
  if (path == kStandardInput) return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  if (path == kStandardOutput) return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  return open(path.c_str(), flags, 0666);
}

std::atomic<const std::atomic<bool>*> stop_of_waits = nullptr;
constexpr int kPauseMilliseconds = 50;

// Waits until `fd` is ready for `event`. It polls with a timeout because another thread may have
// received the signal.
void WaitFor(const fs::path& path, int fd, short event) {
  pollfd wait{fd, event, 0};
  for (int ready = 0; (ready = poll(&wait, 1, kPauseMilliseconds)) <= 0;) {
    if (ready < 0 && errno != EINTR) return;  // the following read or write will report the error
    RequireNoStop(path);
  }
}

bool IsNamedPipe(const fs::path& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

// Opens something that is not a regular file for writing; for a named pipe it waits for a reader.
Descriptor OpenSpecial(const fs::path& path) {
  while (true) {
    Descriptor file(path, O_WRONLY | O_NONBLOCK);
    if (file.get() >= 0 || errno != ENXIO || !IsNamedPipe(path)) return file;
    RequireNoStop(path);
    poll(nullptr, 0, kPauseMilliseconds);
  }
}

// A pipe that is ready for writing accepts this many bytes at once; write(2) would block with more.
constexpr std::size_t kPipePiece = 4096;

}  // namespace

void StopWaitsBy(const std::atomic<bool>* stop) { stop_of_waits = stop; }

void RequireNoStop(const fs::path& path) {
  const std::atomic<bool>* const stop = stop_of_waits;
  if (stop && *stop) throw WaitStopped(path.string(), "was given up (interrupted)");
}

std::atomic<bool> is_confined{false};

void FailBy(const fs::path& path, const std::string& action, int error) {
  throw Error(path.string(), action + ": " + std::strerror(error));
}

void FailToWrite(const fs::path& path, int error) {
  std::string why = std::strerror(error);
  // If the mode allows access, the sandbox denied it, which `access` does not know.
  const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (is_confined && error == EACCES && access(folder.c_str(), W_OK | X_OK) == 0 &&
      (access(path.c_str(), F_OK) != 0 || access(path.c_str(), W_OK) == 0))
    why = "a link leads out of the folders of the outputs (`sandbox` off follows it)";
  throw WriteError(path.string(), "cannot be written: " + why);
}

Descriptor::Descriptor(const fs::path& path, int flags) : fd_(Open(path, flags | O_CLOEXEC)) {}

Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}

bool Descriptor::Close() { return close(std::exchange(fd_, -1)) == 0; }

bool IsSpecial(const fs::path& path) {
  struct stat status;
  const std::string name = path.string();
  if (name.starts_with("/dev/") && !name.starts_with("/dev/shm/")) return true;
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

InputStream::InputStream(const fs::path& path)
    : path_(path), file_(path, O_RDONLY | O_NONBLOCK) {  // a plain open waits for a pipe's writer
  struct stat status;
  if (file_.get() < 0 || fstat(file_.get(), &status) != 0) FailBy(path, "cannot be read", errno);
  if (S_ISDIR(status.st_mode)) throw Error(path.string(), "is a folder (a file is expected)");
  // Some devices have no end.
  if (S_ISCHR(status.st_mode) && !IsDescriptor(path) && path != "/dev/null")
    throw Error(path.string(), "is a device (a file or a pipe is expected)");
  regular_ = S_ISREG(status.st_mode);
  const off_t place = regular_ ? std::max<off_t>(0, lseek(file_.get(), 0, SEEK_CUR)) : 0;
  if (regular_) size_ = static_cast<std::uint64_t>(std::max(place, status.st_size) - place);
  // The writer of standard input has opened it before this process started.
  begun_ = !S_ISFIFO(status.st_mode) || path == kStandardInput;
}

std::size_t InputStream::ReadSome(char* to, std::size_t size) {
  constexpr int kPauses = 60;
  for (int pauses = 0;;) {
    if (begun_ && !regular_) WaitFor(path_, file_.get(), POLLIN);
    const ssize_t got = read(file_.get(), to, size);
    if (got < 0 && errno != EINTR && errno != EAGAIN) FailBy(path_, "cannot be read", errno);
    if (got < 0) begun_ |= errno == EAGAIN;
    if (got > 0) begun_ = true;
    if (got > 0 || (got == 0 && begun_)) return static_cast<std::size_t>(got);
    if (begun_) continue;
    if (++pauses > kPauses) throw Error(path_.string(), "is a pipe that nobody writes to");
    RequireNoStop(path_);
    poll(nullptr, 0, kPauseMilliseconds);
  }
}

bool InputStream::Read(std::string& bytes, std::size_t size) {
  std::size_t have = bytes.size(), got = 1;
  bytes.resize(size);
  while (have < size && (got = ReadSome(bytes.data() + have, size - have)) > 0) have += got;
  bytes.resize(have);
  return got > 0;
}

std::uint64_t InputStream::Skip(std::uint64_t count) {
  const auto step = static_cast<off_t>(count);
  return regular_ && lseek(file_.get(), step, SEEK_CUR) >= 0 ? count : 0;
}

OutputStream::OutputStream(const fs::path& path, const fs::path& unfinished)
    : path_(path),
      regular_(!IsSpecial(path)),
      file_(regular_ ? Descriptor(unfinished, O_WRONLY | O_CREAT | O_EXCL) : OpenSpecial(path)) {
  if (file_.get() < 0) FailToWrite(path, errno);
}

void OutputStream::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    if (!regular_) WaitFor(path_, file_.get(), POLLOUT);
    const std::size_t size = regular_ ? bytes.size() : std::min(bytes.size(), kPipePiece);
    const ssize_t written = write(file_.get(), bytes.data(), size);
    if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (written < 0) FailToWrite(path_, errno);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

void OutputStream::Close() {
  if (!file_.Close()) FailToWrite(path_, errno);
}

}  // namespace skinmask
