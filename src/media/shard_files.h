// Files of tar archives, to be read in any order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/stream.h"
#include "skinmask/media/image.h"

namespace skinmask {

// Archives as folders of files: "a.tar/sub/1.jpg". They are opened once and stay open. Reading is
// safe from many threads.
class ShardFiles {
 public:
  // Opens an archive, unless it is open, and reads its headers. Gives the paths of its files below
  // it, in the order of paths; links are left out. Throws Error for one that is damaged or no file,
  // and for two files of one name.
  const std::vector<std::filesystem::path>& Open(const std::filesystem::path& archive);

  // As ReadImageBytes, of files in these archives and of others.
  std::string ReadBytes(const std::filesystem::path& path, const DecodeOptions& options) const;

 private:
  struct Place {
    int archive;  // its descriptor
    std::uint64_t offset, size;
  };
  struct Archive {
    Descriptor file;
    std::vector<std::filesystem::path> files;
  };
  std::map<std::filesystem::path, Archive> archives_;
  std::map<std::filesystem::path, Place> places_;
};

}  // namespace skinmask
