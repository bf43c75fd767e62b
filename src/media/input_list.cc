#include "skinmask/media/input_list.h"

#include "media/hash_index.h"
#include "media/join_path.h"
#include "skinmask/base/file.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

std::string WithoutEndSlash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

std::string PlaceOf(const fs::path& path) { return fs::absolute(path).lexically_normal().string(); }

}  // namespace

std::size_t InputList::Keep(std::string_view name) {
  const std::size_t at = names_.size();
  names_.append(name).push_back('\0');
  return at;
}

std::uint32_t InputList::AddFolder(const fs::path& folder, const fs::path& below) {
  const fs::path named = folder.empty() ? fs::path(".") : folder;
  roots_.push_back({folder.string(), WithoutEndSlash(below.string()),
                    WithoutEndSlash(FileIdentity(named).string()),
                    WithoutEndSlash(PlaceOf(named))});
  folders_.push_back({static_cast<std::uint32_t>(roots_.size() - 1), Keep("")});
  return static_cast<std::uint32_t>(folders_.size() - 1);
}

std::uint32_t InputList::AddSubfolder(std::uint32_t folder, std::string_view name) {
  const std::string below_root = JoinPath(std::string(Subfolder(folder)), name);
  folders_.push_back({folders_[folder].root, Keep(below_root)});
  return static_cast<std::uint32_t>(folders_.size() - 1);
}

void InputList::Add(std::uint32_t folder, std::string_view name, Media media, bool link) {
  files_.push_back({Keep(name), folder, media, link});
}

std::string InputList::FolderPath(std::uint32_t folder) const {
  return JoinFolder(roots_[folders_[folder].root].path, Subfolder(folder));
}

std::string InputList::FolderIdentity(std::uint32_t folder) const {
  return JoinFolder(roots_[folders_[folder].root].identity, Subfolder(folder));
}

std::string InputList::RelativeFolder(std::uint32_t folder) const {
  return JoinFolder(roots_[folders_[folder].root].below, Subfolder(folder));
}

std::string InputList::Path(std::size_t i) const {
  return JoinPath(FolderPath(FolderOf(i)), Name(i));
}

std::string InputList::Identity(std::size_t i) const {
  return files_[i].link ? FileIdentity(Path(i)).string()
                        : JoinPath(FolderIdentity(FolderOf(i)), Name(i));
}

std::string InputList::Place(std::size_t i) const {
  const std::string_view name = Name(i);
  if (name.empty() || name == "." || name == "..") return PlaceOf(Path(i));
  const Folder& folder = folders_[FolderOf(i)];
  return JoinPath(JoinFolder(roots_[folder.root].place, Subfolder(FolderOf(i))), name);
}

InputFile InputList::operator[](std::size_t i) const {
  return {Path(i), JoinPath(RelativeFolder(FolderOf(i)), Name(i)), MediaOf(i)};
}

void InputList::LeaveOutDoubles() {
  HashIndex places(size());
  for (std::size_t i = 0; i < size(); ++i) places.Add(Place(i), i);
  places.Sort();
  std::vector<bool> left_out(size());
  places.ForEqual([&](std::span<const HashIndex::Key> keys) {
    std::vector<std::string> seen;
    for (const HashIndex::Key& key : keys) {
      std::string place = Place(key.index);
      if (std::ranges::find(seen, place) != seen.end())
        left_out[key.index] = true;
      else
        seen.push_back(std::move(place));
    }
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < size(); ++i)
    if (!left_out[i]) files_[kept++] = files_[i];
  files_.resize(kept);
}

}  // namespace skinmask
