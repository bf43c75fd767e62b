#include "media/archive.h"

#include <algorithm>
#include <utility>

#include "base/folder.h"
#include "base/stream.h"
#include "media/image_codec.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

// The path below the archive's root. Throws Error if the path leads out of the archive.
std::string InnerName(const std::string& stored, const fs::path& archive) {
  constexpr std::size_t kLongestName = 4096;  // the limit for paths of files (PATH_MAX)
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
  constexpr std::uint64_t kMaxBytes = INT32_MAX;  // limit for an image, as in a folder
  if (entry.type == TarEntry::Type::kLink)
    return "is a link (tar -h --hard-dereference stores what it leads to)";
  if (entry.type == TarEntry::Type::kOther) return "is a pipe or a device";
  if (entry.size > kMaxBytes) return "is larger than 2 GiB";
  if (entry.type == TarEntry::Type::kSparse) return "is stored in pieces (tar without --sparse)";
  return {};
}

std::optional<ArchivedFile> NextFile(TarReader& archive) {
  while (std::optional<TarEntry> entry = archive.Next()) {
    ArchivedFile file{InnerName(entry->name, archive.path()), {}, {}, *entry};
    if (entry->type == TarEntry::Type::kFolder) continue;
    const std::size_t folder = file.name.rfind('/') + 1;  // 0 without a folder
    const std::size_t dot = file.name.find('.', folder);
    file.key = file.name.substr(0, dot);
    if (dot != file.name.npos) file.extension = file.name.substr(dot + 1);
    return file;
  }
  return std::nullopt;
}

bool HoldsArchives(const fs::path& path) {
  if (!IsFolder(path)) return NamedMedia(path.native()).archive;
  bool holds = false;
  ForEachEntry(path, [&](const char* name, EntryType) { holds |= NamedMedia(name).archive; });
  return holds;
}

const std::vector<fs::path>& Archives::Open(const fs::path& archive, const ProblemSink& problem) {
  if (const auto read = archives_.find(archive); read != archives_.end()) return read->second;
  if (!IsRegularFile(archive))
    throw Error(archive.string(), "is no file (of an archive with masks, a file is expected)");
  // Stays empty after an Error, so the Error is reported once.
  std::vector<fs::path>& opened = archives_[archive];
  std::vector<fs::path> files;
  TarReader reader(archive);
  while (const std::optional<ArchivedFile> file = NextFile(reader)) {
    const std::string why = WhyNotRead(file->entry);
    if (!why.empty()) {
      if (NamedMedia(file->name).image) problem({(archive / file->name).string(), why});
      continue;
    }
    if (!places_.emplace(archive / file->name, Place{archive, file->entry.offset, file->entry.size})
             .second)
      throw Error(archive.string(), "holds two files called " + file->name);
    files.emplace_back(file->name);
  }
  std::ranges::sort(files);
  return opened = std::move(files);
}

std::string Archives::ReadBytes(const fs::path& path, const DecodeOptions& options) const {
  const auto found = places_.find(path);
  if (found == places_.end()) return ReadImageBytes(path, options);
  constexpr std::size_t kHead = 4096;
  const auto& [archive, offset, size] = found->second;
  InputStream file(archive);
  file.Skip(offset);
  std::string bytes;
  const auto read_to = [&](std::size_t end) {
    if (!file.Read(bytes, end))
      throw Error(path.string(), "is gone: its archive was cut off meanwhile");
  };
  read_to(std::min<std::size_t>(kHead, size));
  if (!CodecOf(bytes)) return bytes;  // not an image: the decoder refuses it by these bytes
  if (options.take) options.take(static_cast<std::int64_t>(size / 4));
  read_to(size);
  return bytes;
}

}  // namespace skinmask
