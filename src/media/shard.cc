#include "media/shard.h"

#include <algorithm>

#include "skinmask/base/error.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxShardBytes = INT32_MAX;  // of one image, as in a folder
constexpr std::size_t kLongestName = 4096;           // as paths of files are at most (PATH_MAX)

// The path below the archive's root. Throws Error where it leads out of it.
std::string InnerName(const std::string& stored, const fs::path& archive) {
  if (stored.size() > kLongestName)
    throw Error(archive.string(), "holds an entry with a name of " + std::to_string(stored.size()) +
                                      " bytes (at most " + std::to_string(kLongestName) + ")");
  const fs::path path(stored);
  const bool leaves = std::ranges::count(path, "..") > 0;
  if (path.is_absolute() || leaves)
    throw Error(archive.string(), "holds an entry that leads out of it: " + stored);
  return path.lexically_normal().generic_string();
}

}  // namespace

std::string WhyNotRead(const TarEntry& entry) {
  if (entry.type == TarEntry::Type::kLink)
    return "is a link (tar --hard-dereference stores what it leads to)";
  if (entry.type == TarEntry::Type::kOther) return "is a pipe or a device";
  if (entry.size > kMaxShardBytes) return "is larger than 2 GiB";
  if (entry.type == TarEntry::Type::kSparse) return "is stored in pieces (tar without --sparse)";
  return {};
}

std::optional<ShardFile> ShardReader::Next() {
  while (std::optional<TarEntry> entry = tar_.Next()) {
    ShardFile file{InnerName(entry->name, path_), {}, {}, *entry};
    if (entry->type == TarEntry::Type::kFolder) continue;
    const std::size_t folder = file.name.rfind('/') + 1;  // 0 where there is none
    const std::size_t dot = file.name.find('.', folder);
    file.key = file.name.substr(0, dot);
    if (dot != file.name.npos) file.extension = file.name.substr(dot + 1);
    return file;
  }
  return std::nullopt;
}

}  // namespace skinmask
