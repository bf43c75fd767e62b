// Paths as text, put together as std::filesystem::path does, at a tenth of its cost.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace skinmask {

// `name` has no slash at its beginning.
inline std::string JoinPath(std::string folder, std::string_view name) {
  if (!folder.empty() && folder.back() != '/') folder += '/';
  return folder.append(name);
}

// The folder itself where the sub-folder is nothing.
inline std::string JoinFolder(std::string folder, std::string_view subfolder) {
  return subfolder.empty() ? folder : JoinPath(std::move(folder), subfolder);
}

// Of a path without its folder.
inline std::string_view NameOf(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

// The folder of a path, without the slash before the name; empty for a name alone.
inline std::string_view FolderOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return path.substr(0, slash == path.npos ? 0 : slash);
}

// As messages have it.
inline std::string Quoted(const std::filesystem::path& path) { return "'" + path.string() + "'"; }

// Where the extension of a name begins, as std::filesystem::path has it; its size, if it has none.
inline std::size_t ExtensionAt(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == name.npos || dot == 0 || name == ".." ? name.size() : dot;
}

}  // namespace skinmask
