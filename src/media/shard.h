// Tar archives as shards of a data set, in the way of WebDataset: files that have all but their
// extension in common are one sample.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "media/tar.h"

namespace skinmask {

// A file, or a link, of a shard.
struct ShardFile {
  std::string name;       // its path in the archive, without "./"
  std::string key;        // the path up to the first dot of the file's name
  std::string extension;  // what follows that dot
  TarEntry entry;
};

// Why the data of an entry are not to be had; empty where they are.
std::string WhyNotRead(const TarEntry& entry);

// The files of a shard, in its order; folders and devices are left out. Throws Error for an archive
// that is damaged, and for one with an entry whose path leads out of it.
class ShardReader {
 public:
  explicit ShardReader(const std::filesystem::path& path) : path_(path), tar_(path) {}
  std::optional<ShardFile> Next();
  // As TarReader::Read.
  std::string Read(const std::function<bool(std::string_view head)>& wanted) {
    return tar_.Read(wanted);
  }

 private:
  const std::filesystem::path path_;
  TarReader tar_;
};

}  // namespace skinmask
