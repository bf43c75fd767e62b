#include "skinmask/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "skinmask/base/error.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

// An open descriptor, closed at the end of its scope.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags) : fd_(open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  // close(2) reports what a network file system could not store.
  bool Close() { return close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

[[noreturn]] void Fail(const fs::path& path, const std::string& action, int error) {
  throw Error(path.string(), action + ": " + std::strerror(error));
}

bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
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
  if (path.string().starts_with("/dev/")) return true;
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

}  // namespace

std::string ReadFile(const fs::path& path) {
  Descriptor file(path, O_RDONLY);
  struct stat status;
  if (file.get() < 0 || fstat(file.get(), &status) != 0) Fail(path, "cannot be read", errno);
  if (S_ISDIR(status.st_mode)) throw Error(path.string(), "is a folder (a file is expected)");
  std::string bytes(static_cast<size_t>(status.st_size), '\0');
  size_t size = 0;
  while (true) {  // until end of file, since pipes and growing files do not tell their size
    if (size == bytes.size()) bytes.resize(size + 4096);
    const ssize_t got = read(file.get(), bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) Fail(path, "cannot be read", errno);
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  bytes.resize(size);
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
  static std::atomic<unsigned> serial{0};
  path_ = destination_.parent_path() /
          (".skinmask-" + std::to_string(getpid()) + "-" + std::to_string(serial++) + ".part");
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
  Descriptor file(part.path(), IsSpecial(path) ? O_WRONLY : O_WRONLY | O_CREAT | O_EXCL);
  if (file.get() < 0 || !WriteAll(file.get(), bytes) || !file.Close())
    Fail(path, "cannot be written", errno);
  part.Rename(survives);
}

fs::path FileIdentity(const fs::path& path) {
  std::error_code ignored;
  const fs::path canonical = fs::weakly_canonical(path, ignored);
  return canonical.empty() ? path : canonical;
}

}  // namespace skinmask
