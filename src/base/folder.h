// What there is at a path, and what a folder holds, as the system tells it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <system_error>
#include <unordered_map>

namespace [[gnu::visibility("default")]] skinmask {

// Of what `path` leads to; false where that cannot be told.
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

// Of what `path` names itself, if it is a link; kOther where there is nothing.
EntryType EntryTypeOf(const char* path);

// Calls see(name, type) for each entry but "." and "..", in no order. The list tells the types, so
// no entry is asked for itself unless the file system does not say. Returns why the folder could
// not be read to its end.
std::error_code ForEachEntry(const std::filesystem::path& folder,
                             const std::function<void(const char* name, EntryType type)>& see);

// FileIdentity of many paths, which are mostly of one folder after the other.
class FileIdentities {
 public:
  // `link`: the last name may be that of a link, or none ("..", or nothing).
  std::string Of(const std::string& path, bool link);
  std::string Of(const std::string& path) {
    return Of(path, EntryTypeOf(path.c_str()) == EntryType::kLink);
  }

 private:
  std::string folder_, identity_;
};

// EntryTypeOf many paths. A folder that many of them lie in, for its size, is read instead, once:
// then what it does not hold, or got since, counts as a file.
class EntryTypes {
 public:
  EntryType Of(const std::string& path);

 private:
  struct Folder {
    std::size_t asked = 0, enough = 0;
    bool known = false;
    std::unordered_map<std::string, EntryType> other;  // that are no files
  };
  std::unordered_map<std::string, Folder> folders_;
};

}  // namespace skinmask
