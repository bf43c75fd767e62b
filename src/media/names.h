// Fast helpers for names of files, of which there may be millions: joining and splitting as
// std::filesystem::path does at a tenth of its cost, finding equal names without storing them, and
// matching patterns.
#pragma once

#include <fnmatch.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skinmask {

// `name` must not begin with a slash.
inline std::string JoinPath(std::string folder, std::string_view name) {
  if (!folder.empty() && folder.back() != '/') folder += '/';
  return folder.append(name);
}

// Returns the folder itself if `subfolder` is empty.
inline std::string JoinFolder(std::string folder, std::string_view subfolder) {
  return subfolder.empty() ? folder : JoinPath(std::move(folder), subfolder);
}

// The last component of a path.
inline std::string_view NameOf(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

// The folder of a path, without the slash before the name; empty for a name alone.
inline std::string_view FolderOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return path.substr(0, slash == path.npos ? 0 : slash);
}

// The form of paths in messages.
inline std::string Quoted(const std::filesystem::path& path) { return "'" + path.string() + "'"; }

// The position of the extension of a name, as std::filesystem::path defines it; the size of the
// name if it has none.
inline std::size_t ExtensionAt(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == name.npos || dot == 0 || name == ".." ? name.size() : dot;
}

// Finds equal texts among many by their sorted hashes, without storing the texts. Equal hashes do
// not imply equal texts, so the caller must compare the texts, which it can make again.
class HashIndex {
 public:
  struct Key {
    std::uint64_t hash, index;
    auto operator<=>(const Key&) const = default;
  };

  explicit HashIndex(std::size_t count) { keys_.reserve(count); }
  void Add(std::string_view text, std::uint64_t index) { keys_.push_back({HashOf(text), index}); }
  // Must be called before Find and ForEqual.
  void Sort() { std::ranges::sort(keys_); }

  // The keys with the hash of `text`, in ascending order of their indices.
  std::span<const Key> Find(std::string_view text) const {
    const std::uint64_t hash = HashOf(text);
    return {std::ranges::lower_bound(keys_, hash, {}, &Key::hash),
            std::ranges::upper_bound(keys_, hash, {}, &Key::hash)};
  }
  // Calls see(keys) for each hash with two or more keys, which are in ascending order.
  template <class Call>
  void ForEqual(const Call& see) const {
    for (auto first = keys_.begin(); first != keys_.end();) {
      const auto last =
          std::find_if(first, keys_.end(), [&](const Key& key) { return key.hash != first->hash; });
      if (last - first > 1) see(std::span<const Key>(first, last));
      first = last;
    }
  }

 private:
  static std::uint64_t HashOf(std::string_view text) { return std::hash<std::string_view>()(text); }
  std::vector<Key> keys_;
};

// Shell patterns for names and paths; see ListOptions (skinmask/media/inputs.h).
class Patterns {
 public:
  explicit Patterns(std::vector<std::string> patterns) : patterns_(std::move(patterns)) {
    for (std::string& pattern : patterns_)
      if (pattern.ends_with('/')) pattern.pop_back();  // shells complete folders with a slash
  }
  bool empty() const { return patterns_.empty(); }
  // True if a pattern matches a path below a folder, or its name.
  bool Match(const std::string& relative) const {
    return std::ranges::any_of(patterns_, [&](const std::string& pattern) {
      // "./a.jpg" is a path below the folder, as "sub/a.jpg" is; "a.jpg" is a name.
      const bool is_path = pattern.find('/') != pattern.npos;
      const char* const text = is_path ? relative.c_str() : NameOf(relative).data();
      return fnmatch(pattern.c_str() + (pattern.starts_with("./") ? 2 : 0), text, 0) == 0;
    });
  }

 private:
  std::vector<std::string> patterns_;
};

}  // namespace skinmask
