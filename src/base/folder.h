// The types of files, and the entries of folders.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <system_error>
#include <unordered_map>

namespace [[gnu::visibility("default")]] skinmask {

// These follow links, and return false on errors.
inline bool Exists(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}
inline bool IsFolder(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}
inline bool IsRegularFile(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

enum class EntryType { kFile, kFolder, kLink, kOther };

// Does not follow a link at `path`; kOther if nothing is there.
EntryType EntryTypeOf(const char* path);

// Calls see(name, type) for each entry except "." and "..", in no particular order. The types come
// from the folder's listing; an entry gets an lstat call only where the file system lists no types.
// Returns the error that ended the listing early.
std::error_code ForEachEntry(const std::filesystem::path& folder,
                             const std::function<void(const char* name, EntryType type)>& see);

// FileIdentity of many paths. Fast if consecutive paths mostly lie in the same folder.
class FileIdentities {
 public:
  // `link`: the last part of the path may be a link, or "..", or empty.
  std::string Of(const std::string& path, bool link);
  std::string Of(const std::string& path) {
    return Of(path, EntryTypeOf(path.c_str()) == EntryType::kLink);
  }

 private:
  std::string folder_, identity_;
};

// EntryTypeOf of many paths. If many of them, relative to the folder's size, lie in one folder,
// that folder is listed once instead. From then on a name that the listing did not have counts as a
// file.
class EntryTypes {
 public:
  EntryType Of(const std::string& path);

 private:
  struct Folder {
    std::size_t asked = 0, enough = 0;
    bool known = false;
    std::unordered_map<std::string, EntryType> other;  // entries that are not files
  };
  std::unordered_map<std::string, Folder> folders_;
};

}  // namespace skinmask
