#include "base/folder.h"

#include <dirent.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "skinmask/base/file.h"

namespace skinmask {
namespace {

EntryType TypeOf(mode_t mode) {
  if (S_ISLNK(mode)) return EntryType::kLink;
  if (S_ISDIR(mode)) return EntryType::kFolder;
  return S_ISREG(mode) ? EntryType::kFile : EntryType::kOther;
}

// The number of lstat calls in a folder after which it is cheaper to list the folder. One call
// takes as long as listing eight entries, and most file systems need about 32 bytes for an entry.
std::size_t QuestionsWorthReading(const std::string& folder) {
  constexpr std::size_t kBytesOfQuestion = 256, kFew = 32;
  struct stat status;
  if (stat(folder.c_str(), &status) != 0) return 0;
  return kFew + static_cast<std::size_t>(status.st_size) / kBytesOfQuestion;
}

}  // namespace

EntryType EntryTypeOf(const char* path) {
  struct stat status;
  return lstat(path, &status) == 0 ? TypeOf(status.st_mode) : EntryType::kOther;
}

std::error_code ForEachEntry(const std::filesystem::path& folder,
                             const std::function<void(const char* name, EntryType type)>& see) {
  const std::unique_ptr<DIR, int (*)(DIR*)> list(opendir(folder.c_str()), closedir);
  while (list) {
    errno = 0;
    const dirent* const entry = readdir(list.get());
    if (!entry) break;
    if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
    see(entry->d_name, entry->d_type == DT_UNKNOWN ? EntryTypeOf((folder / entry->d_name).c_str())
                                                   : TypeOf(DTTOIF(entry->d_type)));
  }
  return {errno, std::generic_category()};
}

std::string FileIdentities::Of(const std::string& path, bool link) {
  if (link) return FileIdentity(path);
  const std::size_t at = path.rfind('/') + 1;  // npos + 1 is 0
  if (identity_.empty() || path.compare(0, at, folder_) != 0) {
    folder_ = path.substr(0, at);
    identity_ = FolderIdentity(folder_);
  }
  return identity_ + '/' + path.substr(at);
}

EntryType EntryTypes::Of(const std::string& path) {
  const std::size_t at = path.rfind('/') + 1;  // npos + 1 is 0
  const std::string name = path.substr(at);
  if (name.empty() || name == "." || name == "..") return EntryTypeOf(path.c_str());
  const std::string named = at == 0 ? "." : path.substr(0, at);
  Folder& folder = folders_[named];
  if (folder.asked == 0) folder.enough = QuestionsWorthReading(named);
  if (++folder.asked == folder.enough)
    folder.known = !ForEachEntry(named, [&](const char* entry, EntryType type) {
      if (type != EntryType::kFile) folder.other[entry] = type;
    });
  if (!folder.known) return EntryTypeOf(path.c_str());
  const auto found = folder.other.find(name);
  return found == folder.other.end() ? EntryType::kFile : found->second;
}

}  // namespace skinmask
