#include <set>
#include <system_error>

#include "base/folder.h"
#include "media/names.h"
#include "skinmask/base/file.h"
#include "skinmask/media/inputs.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

std::string WithoutEndSlash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

// A relative path stays relative if the working folder was removed. Behind a link, `..` leads
// elsewhere than the text says.
std::string PlaceOf(const fs::path& path) {
  std::error_code ignored;
  const fs::path whole = fs::absolute(path, ignored);
  fs::path place;
  for (const fs::path& part : whole.empty() ? path : whole) {
    if (part == ".." && EntryTypeOf(place.c_str()) == EntryType::kLink) place = RealPath(place);
    place = WithoutEndSlash((place / part).lexically_normal().string());
  }
  return place.string();
}

}  // namespace

std::uint32_t InputList::AddRoot(const fs::path& folder, const fs::path& below) {
  const fs::path named = folder.empty() ? fs::path(".") : folder;
  roots_.push_back(
      {folder.string(), WithoutEndSlash(below.string()), WithoutEndSlash(PlaceOf(named))});
  return static_cast<std::uint32_t>(roots_.size() - 1);
}

void InputList::Add(std::uint32_t root, std::string_view below, Media media, bool link) {
  files_.push_back({names_.size(), root, media, link});
  names_.append(below).push_back('\0');
}

std::string InputList::Path(std::size_t i) const {
  return JoinPath(roots_[files_[i].root].path, BelowRoot(i));
}

std::string InputList::Relative(std::size_t i) const {
  return JoinPath(roots_[files_[i].root].below, BelowRoot(i));
}

std::string InputList::Place(std::size_t i) const {
  const std::string_view name = NameOf(BelowRoot(i));
  if (name.empty() || name == "." || name == "..") return PlaceOf(Path(i));
  return JoinPath(roots_[files_[i].root].place, BelowRoot(i));
}

void InputList::LeaveOutDoubles() {
  HashIndex places(size());
  for (std::size_t i = 0; i < size(); ++i) places.Add(Place(i), i);
  places.Sort();
  std::vector<bool> left_out(size());
  places.ForEqual([&](std::span<const HashIndex::Key> keys) {
    std::set<std::string> seen;
    for (const HashIndex::Key& key : keys)
      left_out[key.index] = !seen.insert(Place(key.index)).second;
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < size(); ++i)
    if (!left_out[i]) files_[kept++] = files_[i];
  files_.resize(kept);
}

}  // namespace skinmask
