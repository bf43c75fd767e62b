#include "programs/cli/landlock.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace skinmask::cli {
namespace {

// linux/landlock.h of Linux 6.12: rights, and what the calls take.
constexpr std::uint64_t kWriteFile = 1 << 1, kReadFile = 1 << 2, kReadFolder = 1 << 3,
                        kRemoveFolder = 1 << 4, kRemoveFile = 1 << 5, kMakeFolder = 1 << 7,
                        kMakeFile = 1 << 8;
constexpr std::uint64_t kOfVersion1 = (1 << 13) - 1;  // all, running included
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
constexpr std::uint64_t kBindAndConnect = 3;  // of TCP, version 4
constexpr std::uint64_t kOfFiles = kWriteFile | kReadFile | kTruncate;

std::uint64_t Handled(int version) {
  return kOfVersion1 | (version < 2 ? 0 : kMoveElsewhere) | (version < 3 ? 0 : kTruncate);
}

}  // namespace

Landlock::Landlock() {
  const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, kAskVersion);
  if (version < 1) return;
  version_ = static_cast<int>(version);
  const RuleSet set{Handled(version_), version_ >= 4 ? kBindAndConnect : 0};
  const std::size_t size = version_ >= 4 ? sizeof set : sizeof set.files;
  rules_ = static_cast<int>(syscall(SYS_landlock_create_ruleset, &set, size, 0));
}

Landlock::~Landlock() {
  if (rules_ >= 0) close(rules_);
}

void Landlock::Allow(const std::filesystem::path& path, std::uint64_t rights) {
  if (rules_ < 0 || path.empty()) return;
  const int parent = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (parent < 0) return;
  struct stat status;
  if (fstat(parent, &status) == 0) {
    if (!S_ISDIR(status.st_mode)) rights &= kOfFiles;
    const PathRule rule{rights & Handled(version_), parent};
    syscall(SYS_landlock_add_rule, rules_, kPathBeneath, &rule, 0);
  }
  close(parent);
}

void Landlock::AllowReading(const std::filesystem::path& path) {
  Allow(path, kReadFile | kReadFolder);
}

void Landlock::AllowMaking(const std::filesystem::path& folder) {
  Allow(folder, kOfFiles | kReadFolder | kMakeFile | kMakeFolder | kRemoveFile | kRemoveFolder);
}

void Landlock::AllowWriting(const std::filesystem::path& file) {
  Allow(file, kWriteFile | kTruncate);
}

bool Landlock::Enforce() {
  return rules_ >= 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_landlock_restrict_self, rules_, 0) == 0;
}

}  // namespace skinmask::cli
