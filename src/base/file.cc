#include "skinmask/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>
#include <random>

#include "base/folder.h"
#include "base/stream.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

// Flushes a file or a folder to the disk. Some file systems do not support that (EINVAL).
bool Sync(const fs::path& path) {
  Descriptor file(path, O_RDONLY);
  return file.get() >= 0 && (fsync(file.get()) == 0 || errno == EINVAL);
}

fs::path FolderOf(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

[[noreturn]] void FailByExisting(const fs::path& path) {
  throw Error(path.string(), "exists already (`overwrite` replaces it)");
}

// Renames `from` to a name that does not exist yet. If the name exists, also if it was created just
// now, returns false with errno EEXIST.
bool RenameToNew(const fs::path& from, const fs::path& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  // Some file systems do not support renameat2 (NFS). A hard link fails in the same way if the name
  // exists.
  if (link(from.c_str(), to.c_str()) == 0) return unlink(from.c_str()) == 0;
  const bool has_links = errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS;
  if (has_links || access(to.c_str(), F_OK) == 0) {
    if (!has_links) errno = EEXIST;
    return false;
  }
  return rename(from.c_str(), to.c_str()) == 0;  // vfat before Linux 5.10 supports neither
}

constexpr std::size_t kHead = 4096;

[[noreturn]] void FailTooLarge(const fs::path& path, std::uint64_t most) {
  throw Error(path.string(), "is larger than " + std::to_string(most) + " bytes");
}

// A random name that no other process uses. The process id would not do: containers that share a
// folder can have processes with the same id.
constexpr const char *kUnfinishedPrefix = ".skinmask-", *kUnfinishedSuffix = ".part";
std::string RandomName() {
  std::random_device random;  // the kernel's
  return fmt::format("{:08x}{:08x}", random(), random());
}

bool IsUnfinishedName(std::string_view name) {
  if (!name.starts_with(kUnfinishedPrefix) || !name.ends_with(kUnfinishedSuffix)) return false;
  name.remove_prefix(std::strlen(kUnfinishedPrefix));
  name.remove_suffix(std::strlen(kUnfinishedSuffix));
  return name.size() == 16 && name.find_first_not_of("0123456789abcdef") == name.npos;
}

std::atomic<bool> ending{false};

// Stops a thread that would continue with its files while the process ends.
void BlockWhileEnding() {
  while (ending) pause();
}

}  // namespace

std::string ReadFile(const fs::path& path, const ReadOptions& options) {
  InputStream source(path);
  const std::uint64_t told = source.size();
  if (told > options.most) FailTooLarge(path, options.most);
  std::string bytes;
  bool more = source.Read(bytes, kHead);
  if (options.check) options.check(bytes, told);
  bytes.reserve(static_cast<std::size_t>(told) + 1);
  if (more) more = source.Read(bytes, std::max(kHead, static_cast<std::size_t>(told)) + 1);
  // Until the end of the file, because the size of pipes and growing files is not known.
  while (more) {
    if (bytes.size() > options.most) FailTooLarge(path, options.most);
    more = source.Read(bytes, bytes.size() + std::max(kHead, bytes.size() / 4));
  }
  if (bytes.size() > options.most) FailTooLarge(path, options.most);
  return bytes;
}

bool IsDescriptor(const fs::path& path) {
  const std::string name = path.string();
  return name == kStandardInput || name.starts_with("/dev/fd/") ||
         name.starts_with("/proc/self/fd/");
}

std::string PeekDescriptor(const fs::path& path, const std::atomic<bool>* stop) {
  const Descriptor file(path, O_RDONLY | O_NONBLOCK);
  if (file.get() < 0) FailBy(path, "cannot be read", errno);
  return PeekDescriptor(file.get(), stop);
}

std::string PeekDescriptor(int descriptor, const std::atomic<bool>* stop) {
  constexpr ssize_t kEnough = 512;
  constexpr int kPauseMilliseconds = 20;
  std::string bytes(kHead, '\0');
  ssize_t got = 0;
  int copy[2] = {-1, -1};
  struct stat status;
  const bool known = fstat(descriptor, &status) == 0;
  if (known && S_ISREG(status.st_mode)) {
    got = pread(descriptor, bytes.data(), bytes.size(), lseek(descriptor, 0, SEEK_CUR));
  } else if (known && S_ISFIFO(status.st_mode) && pipe2(copy, O_CLOEXEC) == 0) {
    const Descriptor from(copy[0]), to(copy[1]);
    while (!(stop && stop->load())) {
      pollfd wait{descriptor, POLLIN, 0};
      poll(&wait, 1, kPauseMilliseconds);
      got = tee(descriptor, to.get(), bytes.size(), SPLICE_F_NONBLOCK);
      const bool ended = (wait.revents & POLLHUP) || got == 0;
      if (got > 0) got = read(from.get(), bytes.data(), bytes.size());
      if (ended || got >= kEnough) break;
      if (got > 0) poll(nullptr, 0, kPauseMilliseconds);
    }
  }
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  return bytes;
}

namespace {

// Throws WriteError: why a file has no folder.
[[noreturn]] void FailByFolder(const fs::path& path, const fs::path& folder) {
  fs::path there = folder;
  while (!Exists(there) && FolderOf(there) != there) there = FolderOf(there);
  if (Exists(there) && !IsFolder(there))
    throw WriteError(path.string(),
                     fmt::format("cannot be written: {} is no folder", there.string()));
  const bool can_be_made = access(there.c_str(), W_OK | X_OK) == 0;
  throw WriteError(path.string(),
                   fmt::format("cannot be written: its folder does not exist{}",
                               can_be_made ? ""
                                           : fmt::format(", nor can it be made in {}: {}",
                                                         there.string(), std::strerror(errno))));
}

}  // namespace

const fs::path& RequireWritable(const fs::path& path, IfExists if_exists) {
  if (IsFolder(path)) throw WriteError(path.string(), "is a folder (a file is expected)");
  if (IsSpecial(path)) return path;
  if (if_exists == IfExists::kFail && Exists(path)) FailByExisting(path);
  const bool is_link = EntryTypeOf(path.c_str()) == EntryType::kLink;
  const fs::path real = is_link ? RealPath(path) : path;
  if (is_link && EntryTypeOf(real.c_str()) == EntryType::kLink)
    throw WriteError(path.string(), "cannot be written: it is a link that leads nowhere");
  const fs::path folder = FolderOf(real);
  if (!IsFolder(folder)) FailByFolder(path, folder);
  struct stat status;
  if (lstat(real.c_str(), &status) != 0 && errno == ENAMETOOLONG) FailToWrite(path, errno);
  if (access(folder.c_str(), W_OK | X_OK) != 0) FailToWrite(path, errno);
  return path;
}

// The paths of the unfinished files, in static memory that a signal handler can read. An
// UnfinishedFile that finds no free slot is not removed by RemoveAll, as after a kill.
struct UnfinishedFile::Slot {
  std::atomic<bool> taken{false}, there{false};
  char path[PATH_MAX];
  static Slot all[100];
};
UnfinishedFile::Slot UnfinishedFile::Slot::all[100];

void UnfinishedFile::RemoveAll() {
  ending = true;
  for (Slot& slot : Slot::all)
    if (slot.there) unlink(slot.path);
}

UnfinishedFile::UnfinishedFile(const fs::path& destination)
    : destination_(destination), path_(destination) {
  if (IsSpecial(destination)) return;
  if (EntryTypeOf(destination.c_str()) == EntryType::kLink) destination_ = RealPath(destination);
  path_ = destination_.parent_path() /
          (std::string(kUnfinishedPrefix) + RandomName() + kUnfinishedSuffix);
  BlockWhileEnding();
  for (Slot& slot : Slot::all) {
    if (path_.native().size() >= sizeof slot.path || slot.taken.exchange(true)) continue;
    std::strcpy(slot.path, path_.c_str());
    slot.there = true;
    slot_ = &slot;
    break;
  }
}

UnfinishedFile::~UnfinishedFile() {
  BlockWhileEnding();
  if (path_ != destination_) unlink(path_.c_str());
  if (slot_) slot_->there = false, slot_->taken = false;
}

void UnfinishedFile::Rename(IfExists if_exists, Survives survives) {
  if (path_ == destination_) return;
  BlockWhileEnding();
  PutInPlace(path_, destination_, if_exists, survives);
  path_ = destination_;
}

void PutInPlace(const fs::path& file, const fs::path& destination, IfExists if_exists,
                Survives survives) {
  const bool sync = survives == Survives::kPowerLoss;
  if (sync && !Sync(file)) FailToWrite(destination, errno);
  const bool moved = if_exists == IfExists::kFail ? RenameToNew(file, destination)
                                                  : rename(file.c_str(), destination.c_str()) == 0;
  if (!moved && errno == EEXIST) FailByExisting(destination);
  if (!moved) FailToWrite(destination, errno);
  // A folder that is writable but not readable cannot be opened for fsync.
  const fs::path folder = FolderOf(destination);
  if (sync && access(folder.c_str(), R_OK) == 0 && !Sync(folder)) FailToWrite(folder, errno);
}

void WriteFile(const fs::path& path, std::string_view bytes, IfExists if_exists,
               Survives survives) {
  RequireWritable(path, if_exists);
  UnfinishedFile unfinished(path);
  OutputStream file(path, unfinished.path());
  file.Write(bytes);
  file.Close();
  unfinished.Rename(if_exists, survives);
}

void RemoveOldUnfinished(const fs::path& folder) {
  constexpr std::chrono::hours kOld(24);
  ForEachEntry(folder, [&](const char* name, EntryType) {
    if (!IsUnfinishedName(name)) return;
    const fs::path file = folder / name;
    std::error_code error;
    const fs::file_time_type written = fs::last_write_time(file, error);
    if (!error && fs::file_time_type::clock::now() - written > kOld)
      unlink(file.c_str());  // never removes a folder, whatever its name
  });
}

fs::path RealPath(const fs::path& path) {
  constexpr int kMaxLinks = 40;  // as the kernel follows
  std::error_code ignored;
  // A link to a file that does not exist (yet) would stay as it is.
  fs::path target = path;
  const auto dangles = [&] {
    return EntryTypeOf(target.c_str()) == EntryType::kLink && !Exists(target);
  };
  for (int i = 0; i < kMaxLinks && dangles(); ++i)
    target = FolderOf(target) / fs::read_symlink(target, ignored);
  const fs::path canonical = fs::weakly_canonical(target, ignored);
  return canonical.empty() ? path : canonical;
}

std::string FolderIdentity(const fs::path& folder) {
  struct stat status;
  if (stat(folder.empty() ? "." : folder.c_str(), &status) == 0)
    return std::to_string(status.st_dev) + ':' + std::to_string(status.st_ino);
  // A folder that does not exist yet is identified by its parent and its name.
  const fs::path real = RealPath(folder);
  return real.has_relative_path()
             ? FolderIdentity(real.parent_path()) + '/' + real.filename().string()
             : real.string();
}

std::string FileIdentity(const fs::path& path) {
  const fs::path real = RealPath(path);
  return FolderIdentity(real.parent_path()) + '/' + real.filename().string();
}

}  // namespace skinmask
