#include "programs/cli/sandbox.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <set>

#include "base/folder.h"
#include "base/parse.h"
#include "base/stream.h"
#include "media/late_module.h"
#include "skinmask/base/file.h"

namespace skinmask::cli {
namespace {

// From linux/landlock.h of Linux 6.12: the rights, and the arguments of the system calls.
constexpr std::uint64_t kWriteFile = 1 << 1, kReadFile = 1 << 2, kReadFolder = 1 << 3,
                        kRemoveFolder = 1 << 4, kRemoveFile = 1 << 5, kMakeFolder = 1 << 7,
                        kMakeFile = 1 << 8;
constexpr std::uint64_t kOfVersion1 = (1 << 13) - 1;  // all rights, including execution
constexpr std::uint64_t kMoveElsewhere = 1 << 13;     // version 2
constexpr std::uint64_t kTruncate = 1 << 14;          // version 3
struct RuleSet {
  std::uint64_t files, network;
};
struct __attribute__((packed)) PathRule {
  std::uint64_t rights;
  std::int32_t parent;
};
constexpr int kPathBeneath = 1, kAskVersion = 1;
constexpr std::uint64_t kBindAndConnect = 3;  // for TCP, version 4
constexpr std::uint64_t kOfFiles = kWriteFile | kReadFile | kTruncate;

std::uint64_t Handled(int version) {
  return kOfVersion1 | (version < 2 ? 0 : kMoveElsewhere) | (version < 3 ? 0 : kTruncate);
}

namespace fs = std::filesystem;

// Landlock by system calls, because Debian 12 has no library for it, and its header is older than
// the kernels on which this program runs. An object is a set of rules.
class Landlock {
 public:
  // Allows reading a file, or everything below a folder. Ignores paths that do not exist or are not
  // on a disk.
  void AllowReading(const fs::path& path) { Allow(path, kReadFile | kReadFolder); }
  // Allows creating, reading, writing, replacing and removing files and folders below a folder.
  void AllowMaking(const fs::path& folder) {
    Allow(folder, kOfFiles | kReadFolder | kMakeFile | kMakeFolder | kRemoveFile | kRemoveFolder);
  }
  // Allows writing to an existing file.
  void AllowWriting(const fs::path& file) { Allow(file, kWriteFile | kTruncate); }
  // Denies to this thread, and to those that it starts, everything that no rule allows: reading,
  // writing and executing files, and TCP connections (version 4). Returns false if the kernel
  // refuses.
  bool Enforce() const {
    return rules_.get() >= 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_landlock_restrict_self, rules_.get(), 0) == 0;
  }

 private:
  int NewRules() const {
    const RuleSet set{Handled(version_), version_ >= 4 ? kBindAndConnect : 0};
    const std::size_t size = version_ >= 4 ? sizeof set : sizeof set.files;
    return static_cast<int>(syscall(SYS_landlock_create_ruleset, &set, size, 0));
  }
  void Allow(const fs::path& path, std::uint64_t rights) const {
    if (rules_.get() < 0 || path.empty()) return;
    const Descriptor parent(open(path.c_str(), O_PATH | O_CLOEXEC));
    struct stat status;
    // Without its rule the path would be forbidden, and nobody would know why.
    if (parent.get() < 0 && errno == EMFILE) FailBy(path, "cannot be opened", errno);
    if (parent.get() < 0 || fstat(parent.get(), &status) != 0) return;
    if (!S_ISDIR(status.st_mode)) rights &= kOfFiles;
    const PathRule rule{rights & Handled(version_), parent.get()};
    syscall(SYS_landlock_add_rule, rules_.get(), kPathBeneath, &rule, 0);
  }

  const int version_ = LandlockVersion();
  const Descriptor rules_{NewRules()};
};

// Files that libraries read on every machine, none of them a user's: the libraries themselves, and
// descriptions of the machine. /proc/self is only this process.
constexpr const char* kSystem[] = {
    "/usr",          "/lib",          "/lib64",     "/etc/ld.so.cache",        "/proc/self",
    "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/sys/devices/system/cpu", "/dev/urandom"};

// Allows reading the targets of links to files below a folder, because inputs may be links to
// anywhere. (Outputs may not: replacing a file atomically needs all rights in the folder of the
// target.)
void AllowLinks(const fs::path& folder, Landlock& landlock) {
  std::vector<fs::path> folders;
  ForEachEntry(folder, [&](const char* name, EntryType type) {
    if (type == EntryType::kFolder)
      folders.push_back(folder / name);
    else if (type == EntryType::kLink && !IsFolder(folder / name))
      landlock.AllowReading(folder / name);
  });
  for (const fs::path& sub : folders) AllowLinks(sub, landlock);
}

void AllowFile(const fs::path& file, Landlock& landlock) {
  if (IsSpecial(file)) return landlock.AllowWriting(file);
  const fs::path folder = RealPath(file).parent_path();
  landlock.AllowMaking(folder.empty() ? fs::path(".") : folder);
}

// With many files a rule for each takes longer than listing them, and uses kernel memory. Then
// files that are not links are allowed by their folders.
void AllowListed(std::span<const std::string> listed, Landlock& landlock) {
  constexpr std::size_t kMany = 1000;
  EntryTypes types;
  std::set<std::string, std::less<>> folders;
  for (const std::string& path : listed) {
    const EntryType type = types.Of(path);
    if (type == EntryType::kFile && listed.size() > kMany) {
      const std::string_view folder = std::string_view(path).substr(0, path.rfind('/') + 1);
      if (!folders.contains(folder)) {
        folders.emplace(folder);
        landlock.AllowReading(folder.empty() ? "." : folder);
      }
      continue;
    }
    landlock.AllowReading(path);
    if (type != EntryType::kFile) AllowLinks(path, landlock);
  }
}

// Allows the folders that the user gave to the dynamic linker, including relative ones.
void AllowLibraryPath(Landlock& landlock) {
  const char* const given = std::getenv("LD_LIBRARY_PATH");
  for (const std::string& folder : Parts(given ? given : "", ':')) landlock.AllowReading(folder);
}

// Returns "" if the kernel has no Landlock.
std::string RestrictFiles(const Access& access) {
  if (LandlockVersion() == 0) return "";
  Landlock landlock;
  for (const char* const path : kSystem) landlock.AllowReading(path);
  landlock.AllowReading("/dev/null");
  landlock.AllowWriting("/dev/null");
  for (const std::string& folder : ModuleFolders()) landlock.AllowReading(folder);
  AllowLibraryPath(landlock);
  for (const fs::path& path : access.reads) {
    landlock.AllowReading(path);
    AllowLinks(path, landlock);
  }
  AllowListed(access.listed, landlock);
  for (const fs::path& folder : access.folders) landlock.AllowMaking(folder);
  for (const fs::path& file : access.files)
    if (!file.empty()) AllowFile(file, landlock);
  return landlock.Enforce() ? fmt::format("Landlock {}", LandlockVersion()) : "";
}

// The bits of a register that the kernel uses for an int.
constexpr std::uint64_t kInt = 0xFFFFFFFF;

// A filter that makes system calls fail.
class CallFilter {
 public:
  template <class... Conditions>
  void Deny(int call, int error, Conditions... conditions) {
    good_ = good_ && filter_ &&
            seccomp_rule_add(filter_.get(), SCMP_ACT_ERRNO(static_cast<unsigned>(error)), call,
                             sizeof...(conditions), conditions...) == 0;
  }
  // Returns false if the kernel has no such filters.
  bool Load() { return good_ && seccomp_load(filter_.get()) == 0; }

 private:
  std::unique_ptr<void, decltype(&seccomp_release)> filter_{seccomp_init(SCMP_ACT_ALLOW),
                                                            seccomp_release};
  bool good_ = true;
};

bool RestrictCalls() {
  // System calls of Linux 6.6 and 6.13, which older headers lack; the numbers are the same on every
  // architecture.
  constexpr int kFchmodat2 = 452, kSetxattrat = 463, kRemovexattrat = 466;
  CallFilter filter;
  filter.Deny(SCMP_SYS(socket), EACCES, scmp_arg_cmp{0, SCMP_CMP_NE, AF_UNIX, 0});
  filter.Deny(SCMP_SYS(execve), EACCES);
  filter.Deny(SCMP_SYS(execveat), EACCES);
  filter.Deny(SCMP_SYS(io_uring_setup), ENOSYS);  // io_uring can open sockets
  // Landlock does not restrict these calls, by path or by descriptor, and none of them is needed.
  for (const int call :
       {SCMP_SYS(chmod),        SCMP_SYS(fchmod),       SCMP_SYS(fchmodat),  kFchmodat2,
        SCMP_SYS(chown),        SCMP_SYS(fchown),       SCMP_SYS(lchown),    SCMP_SYS(fchownat),
        SCMP_SYS(utime),        SCMP_SYS(utimes),       SCMP_SYS(futimesat), SCMP_SYS(utimensat),
        SCMP_SYS(setxattr),     SCMP_SYS(lsetxattr),    SCMP_SYS(fsetxattr), SCMP_SYS(removexattr),
        SCMP_SYS(lremovexattr), SCMP_SYS(fremovexattr), kSetxattrat,         kRemovexattrat})
    filter.Deny(call, EPERM);
  // Before Linux 6.2 Landlock does not restrict truncation, for which opening a file for reading is
  // sufficient.
  filter.Deny(SCMP_SYS(truncate), EPERM);
  constexpr std::uint64_t kFlags = O_ACCMODE | O_TRUNC, kEmptied = O_RDONLY | O_TRUNC;
  filter.Deny(SCMP_SYS(open), EPERM, scmp_arg_cmp{1, SCMP_CMP_MASKED_EQ, kFlags, kEmptied});
  filter.Deny(SCMP_SYS(openat), EPERM, scmp_arg_cmp{2, SCMP_CMP_MASKED_EQ, kFlags, kEmptied});
  // The flags of openat2 are in memory, which seccomp cannot read; nothing here calls it.
  filter.Deny(SCMP_SYS(openat2), ENOSYS);
  // Allows signals to this process only (abort() sends one). Numbers of 0 and below are process
  // groups.
  const auto self = static_cast<std::uint64_t>(getpid());
  for (const int call :
       {SCMP_SYS(kill), SCMP_SYS(tgkill), SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(rt_tgsigqueueinfo)})
    filter.Deny(call, EPERM, scmp_arg_cmp{0, SCMP_CMP_NE, self, 0});
  for (const int call : {SCMP_SYS(tkill), SCMP_SYS(pidfd_send_signal)}) filter.Deny(call, EPERM);
  return filter.Load();
}

}  // namespace

int LandlockVersion() {
  const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, kAskVersion);
  return static_cast<int>(std::max(version, 0L));
}

std::string EnterSandbox(const Access& access) {
  const std::string files = RestrictFiles(access);
  is_confined = !files.empty();
  const bool calls = RestrictCalls();
  return fmt::format("sandbox: {}; {}",
                     calls ? "no network, no other programs (seccomp)"
                           : "network and programs as ever (no seccomp here)",
                     files.empty() ? "all files (no Landlock here)"
                                   : "only inputs, outputs and libraries (" + files + ")");
}

void ForbidProcesses() {
  CallFilter filter;
  filter.Deny(SCMP_SYS(fork), EPERM);
  filter.Deny(SCMP_SYS(vfork), EPERM);
  filter.Deny(SCMP_SYS(clone), EPERM, scmp_arg_cmp{0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0});
  // The flags of clone3 are in memory; the C library falls back to clone.
  filter.Deny(SCMP_SYS(clone3), ENOSYS);
  // A decoder has its socket already. It must not connect to other processes (Landlock allows
  // AF_UNIX), read their memory, or make the kernel send signals to them.
  constexpr int kFSetOwnEx = 15, kFSetSig = 10;
  for (const int call : {SCMP_SYS(socket), SCMP_SYS(socketpair), SCMP_SYS(connect)})
    filter.Deny(call, EACCES);
  for (const int call : {SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev),
                         SCMP_SYS(pidfd_getfd)})
    filter.Deny(call, EPERM);
  filter.Deny(SCMP_SYS(prlimit64), EPERM, scmp_arg_cmp{0, SCMP_CMP_NE, 0, 0});
  for (const int command : {F_SETOWN, kFSetOwnEx, kFSetSig})
    filter.Deny(SCMP_SYS(fcntl), EPERM,
                scmp_arg_cmp{1, SCMP_CMP_MASKED_EQ, kInt, static_cast<std::uint64_t>(command)});
  filter.Load();
}

std::string ForbidNetwork() {
  CallFilter filter;
  for (std::uint64_t family = 0; family < AF_MAX; ++family)
    if (family != AF_UNIX && family != AF_NETLINK)  // the kernel reports devices on AF_NETLINK
      filter.Deny(SCMP_SYS(socket), EACCES, scmp_arg_cmp{0, SCMP_CMP_MASKED_EQ, kInt, family});
  filter.Deny(SCMP_SYS(io_uring_setup), ENOSYS);
  return filter.Load() ? "sandbox: no network (seccomp)" : "sandbox: none (no seccomp here)";
}

}  // namespace skinmask::cli
