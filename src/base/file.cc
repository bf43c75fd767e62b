#include "skinmask/base/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <random>
#include <utility>

#include "skinmask/base/error.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

// An open descriptor, closed at the end of its scope.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags) : fd_(Open(path, flags | O_CLOEXEC)) {}
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(Descriptor&& from) noexcept : fd_(std::exchange(from.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& from) noexcept {
    std::swap(fd_, from.fd_);
    return *this;
  }
  int get() const { return fd_; }
  // close(2) reports what a network file system could not store.
  bool Close() { return close(std::exchange(fd_, -1)) == 0; }

 private:
  static int Open(const fs::path& path, int flags) {
    if (path == kStandardInput) return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
    if (path == kStandardOutput) return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    return open(path.c_str(), flags, 0666);
  }
  int fd_;
};

[[noreturn]] void Fail(const fs::path& path, const std::string& action, int error) {
  throw Error(path.string(), action + ": " + std::strerror(error));
}

std::atomic<const std::atomic<bool>*> stop_of_waits = nullptr;
constexpr int kPauseMilliseconds = 50;

void RequireNoStop(const fs::path& path) {
  const std::atomic<bool>* const stop = stop_of_waits;
  if (stop && *stop)
    throw WaitStopped(path.string(), "was not waited for any longer (interrupted)");
}

// Until `fd` can be read from or written to. Any thread may have got the signal: hence the pauses.
void WaitFor(const fs::path& path, int fd, short event) {
  pollfd wait{fd, event, 0};
  for (int ready = 0; (ready = poll(&wait, 1, kPauseMilliseconds)) <= 0;) {
    if (ready < 0 && errno != EINTR) return;  // the call that waits will say why
    RequireNoStop(path);
  }
}

bool IsNamedPipe(const fs::path& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

// Opens what is no regular file for writing; for a named pipe it waits until somebody reads.
Descriptor OpenSpecial(const fs::path& path) {
  while (true) {
    Descriptor file(path, O_WRONLY | O_NONBLOCK);
    const int error = errno;
    if (file.get() >= 0 || error != ENXIO || !IsNamedPipe(path)) {
      errno = error;
      return file;
    }
    RequireNoStop(path);
    poll(nullptr, 0, kPauseMilliseconds);
  }
}

// A pipe that can be written to takes this much at once; with more, write(2) would wait itself.
constexpr std::size_t kPipePiece = 4096;

bool WriteAll(const fs::path& path, int fd, std::string_view bytes, bool regular) {
  while (!bytes.empty()) {
    if (!regular) WaitFor(path, fd, POLLOUT);
    const std::size_t size = regular ? bytes.size() : std::min(bytes.size(), kPipePiece);
    const ssize_t written = write(fd, bytes.data(), size);
    if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

// Waits until the disk has a file, or a folder. Some file systems cannot tell (EINVAL).
bool Sync(const fs::path& path) {
  Descriptor file(path, O_RDONLY);
  return file.get() >= 0 && (fsync(file.get()) == 0 || errno == EINVAL);
}

fs::path FolderOf(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

// True for what is written to as it is: pipes, devices, and /dev/stdout wherever it leads.
bool IsSpecial(const fs::path& path) {
  struct stat status;
  const std::string name = path.string();
  if (name.starts_with("/dev/") && !name.starts_with("/dev/shm/")) return true;
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

constexpr std::size_t kHead = 4096;

[[noreturn]] void FailTooLarge(const fs::path& path, std::uint64_t most) {
  throw Error(path.string(), "is larger than " + std::to_string(most) + " bytes");
}

// An open file that is read piece by piece. Of a pipe that nobody writes to, read(2) gives nothing,
// as at its end; while there is a writer that has nothing yet, it asks to come again.
class Source {
 public:
  Source(const fs::path& path, int fd, mode_t mode)
      : path_(path),
        fd_(fd),
        regular_(S_ISREG(mode)),
        // Who writes to standard input was there before us.
        begun_(!S_ISFIFO(mode) || path == kStandardInput) {}

  // Appends until there are `size` bytes. False at the end of the file.
  bool Read(std::string& bytes, std::size_t size) {
    std::size_t have = bytes.size();
    bytes.resize(size);
    ssize_t got = 1;
    while (have < size && (got = ReadSome(bytes.data() + have, size - have)) > 0)
      have += static_cast<std::size_t>(got);
    bytes.resize(have);
    return got > 0;
  }

 private:
  ssize_t ReadSome(char* to, std::size_t size) {
    constexpr int kPauses = 60;
    for (int pauses = 0;;) {
      if (begun_ && !regular_) WaitFor(path_, fd_, POLLIN);
      const ssize_t got = read(fd_, to, size);
      if (got < 0 && errno != EINTR && errno != EAGAIN) Fail(path_, "cannot be read", errno);
      if (got < 0) begun_ |= errno == EAGAIN;
      if (got > 0) begun_ = true;
      if (got > 0 || (got == 0 && begun_)) return got;
      if (begun_) continue;
      if (++pauses > kPauses) throw Error(path_.string(), "is a pipe that nobody writes to");
      RequireNoStop(path_);
      poll(nullptr, 0, kPauseMilliseconds);
    }
  }

  const fs::path& path_;
  int fd_;
  bool regular_;
  bool begun_;  // there is, or was, something to read or somebody who writes
};

// A name that nobody else takes: not the next process, nor one of another container that shares the
// folder, where numbers of processes are the same.
constexpr const char *kPartPrefix = ".skinmask-", *kPartSuffix = ".part";
constexpr const char* kDigits = "0123456789abcdef";
constexpr std::size_t kRandomLetters = 16;
std::string RandomName() {
  std::random_device random;  // the kernel's
  std::string name;
  for (std::size_t i = 0; i < kRandomLetters; ++i) name += kDigits[random() % 16];
  return name;
}

bool IsPartName(std::string_view name) {
  if (!name.starts_with(kPartPrefix) || !name.ends_with(kPartSuffix)) return false;
  name.remove_prefix(std::strlen(kPartPrefix));
  name.remove_suffix(std::strlen(kPartSuffix));
  return name.size() == kRandomLetters && name.find_first_not_of(kDigits) == name.npos;
}

}  // namespace

void StopWaitsBy(const std::atomic<bool>* stop) { stop_of_waits = stop; }

std::string ReadFile(const fs::path& path, const ReadOptions& options) {
  Descriptor file(path, O_RDONLY | O_NONBLOCK);  // to open a pipe would wait for its writer
  struct stat status;
  if (file.get() < 0 || fstat(file.get(), &status) != 0) Fail(path, "cannot be read", errno);
  if (S_ISDIR(status.st_mode)) throw Error(path.string(), "is a folder (a file is expected)");
  const bool regular = S_ISREG(status.st_mode);
  const auto told = regular ? static_cast<std::uint64_t>(status.st_size) : 0;
  if (told > options.most) FailTooLarge(path, options.most);
  Source source(path, file.get(), status.st_mode);
  std::string bytes;
  bool more = source.Read(bytes, kHead);
  if (options.check) options.check(bytes, told);
  bytes.reserve(static_cast<std::size_t>(told) + 1);
  if (more) more = source.Read(bytes, std::max(kHead, static_cast<std::size_t>(told)) + 1);
  while (more) {  // until end of file, since pipes and growing files do not tell their size
    if (bytes.size() > options.most) FailTooLarge(path, options.most);
    more = source.Read(bytes, bytes.size() + std::max(kHead, bytes.size() / 4));
  }
  return bytes;
}

bool IsDescriptor(const fs::path& path) {
  const std::string name = path.string();
  return name == kStandardInput || name.starts_with("/dev/fd/") ||
         name.starts_with("/proc/self/fd/");
}

std::string PeekDescriptor(const fs::path& path, const std::atomic<bool>* stop) {
  constexpr ssize_t kEnough = 16;
  constexpr int kPauseMilliseconds = 20;
  const Descriptor file(path, O_RDONLY | O_NONBLOCK);
  struct stat status;
  if (file.get() < 0 || fstat(file.get(), &status) != 0) Fail(path, "cannot be read", errno);
  std::string bytes(kHead, '\0');
  ssize_t got = 0;
  int copy[2] = {-1, -1};
  if (S_ISREG(status.st_mode)) {
    got = pread(file.get(), bytes.data(), bytes.size(), lseek(file.get(), 0, SEEK_CUR));
  } else if (S_ISFIFO(status.st_mode) && pipe2(copy, O_CLOEXEC) == 0) {
    const Descriptor from(copy[0]), to(copy[1]);
    while (!(stop && stop->load())) {
      pollfd wait{file.get(), POLLIN, 0};
      poll(&wait, 1, kPauseMilliseconds);
      got = tee(file.get(), to.get(), bytes.size(), SPLICE_F_NONBLOCK);
      const bool ended = (wait.revents & POLLHUP) || got == 0;
      if (got > 0) got = read(from.get(), bytes.data(), bytes.size());
      if (ended || got >= kEnough) break;
      if (got > 0) poll(nullptr, 0, kPauseMilliseconds);
    }
  }
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  return bytes;
}

void RequireWritable(const fs::path& path, Overwrite overwrite) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    throw Error(path.string(), "is a folder (a file is expected)");
  if (IsSpecial(path)) return;
  if (overwrite == Overwrite::kNo && fs::exists(path, ignored))
    throw Error(path.string(), "exists already (overwriting is off)");
  const fs::path folder = FolderOf(path);
  if (!fs::is_directory(folder, ignored))
    throw Error(path.string(), "cannot be written: its folder does not exist");
  if (access(folder.c_str(), W_OK | X_OK) != 0) Fail(path, "cannot be written", errno);
}

PartFile::PartFile(const fs::path& destination) : destination_(destination), path_(destination) {
  if (IsSpecial(destination)) return;
  std::error_code ignored;
  if (fs::is_symlink(destination, ignored))
    destination_ = fs::weakly_canonical(destination, ignored);
  path_ = destination_.parent_path() / (std::string(kPartPrefix) + RandomName() + kPartSuffix);
}

PartFile::~PartFile() {
  if (path_ != destination_) unlink(path_.c_str());
}

void PartFile::Rename(Survives survives) {
  if (path_ == destination_) return;
  const bool sync = survives == Survives::kPowerLoss;
  if ((sync && !Sync(path_)) || rename(path_.c_str(), destination_.c_str()) != 0)
    Fail(destination_, "cannot be written", errno);
  path_ = destination_;
  // A folder that may be written to but not read cannot be opened for this.
  const fs::path folder = FolderOf(destination_);
  if (sync && access(folder.c_str(), R_OK) == 0 && !Sync(folder))
    Fail(folder, "cannot be written", errno);
}

void WriteFile(const fs::path& path, std::string_view bytes, Overwrite overwrite,
               Survives survives) {
  RequireWritable(path, overwrite);
  PartFile part(path);
  const bool regular = !IsSpecial(path);
  Descriptor file =
      regular ? Descriptor(part.path(), O_WRONLY | O_CREAT | O_EXCL) : OpenSpecial(path);
  if (file.get() < 0 || !WriteAll(path, file.get(), bytes, regular) || !file.Close())
    Fail(path, "cannot be written", errno);
  part.Rename(survives);
}

void RemoveStaleParts(const fs::path& folder) {
  constexpr std::chrono::hours kOld(24);
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (!IsPartName(it->path().filename().string())) continue;
    std::error_code ignored;
    const fs::file_time_type written = fs::last_write_time(it->path(), ignored);
    if (!ignored && fs::file_time_type::clock::now() - written > kOld)
      unlink(it->path().c_str());  // no folder, whatever it is called
  }
}

fs::path FileIdentity(const fs::path& path) {
  std::error_code ignored;
  const fs::path canonical = fs::weakly_canonical(path, ignored);
  return canonical.empty() ? path : canonical;
}

}  // namespace skinmask
