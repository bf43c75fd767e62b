#include "base/folder.h"

#include <dirent.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace skinmask {
namespace {

EntryType TypeOf(const std::filesystem::path& folder, const dirent& entry) {
  switch (entry.d_type) {
    case DT_REG:
      return EntryType::kFile;
    case DT_DIR:
      return EntryType::kFolder;
    case DT_LNK:
      return EntryType::kLink;
    case DT_UNKNOWN:
      return EntryTypeOf((folder / entry.d_name).c_str());
    default:
      return EntryType::kOther;
  }
}

}  // namespace

EntryType EntryTypeOf(const char* path) {
  struct stat status;
  if (lstat(path, &status) != 0) return EntryType::kOther;
  if (S_ISLNK(status.st_mode)) return EntryType::kLink;
  if (S_ISDIR(status.st_mode)) return EntryType::kFolder;
  return S_ISREG(status.st_mode) ? EntryType::kFile : EntryType::kOther;
}

std::error_code ForEachEntry(const std::filesystem::path& folder,
                             const std::function<void(const char* name, EntryType type)>& see) {
  const std::unique_ptr<DIR, int (*)(DIR*)> list(opendir(folder.c_str()), closedir);
  while (list) {
    errno = 0;
    const dirent* const entry = readdir(list.get());
    if (!entry) break;
    if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
    see(entry->d_name, TypeOf(folder, *entry));
  }
  return {errno, std::generic_category()};
}

}  // namespace skinmask
