// Files of tar archives, to be read in any order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "skinmask/base/problem.h"
#include "skinmask/media/image.h"

namespace skinmask {

// Archives as folders of files: "a.tar/sub/1.jpg". Reading is safe from many threads.
class ShardFiles {
 public:
  // Reads the headers of an archive, once. Gives the paths of its files below it, in the order of
  // paths. Images that are links, or sparse, go to `problem`. Throws Error for one that is damaged
  // or no file, and for two files of one name.
  const std::vector<std::filesystem::path>& Open(const std::filesystem::path& archive,
                                                 const ProblemSink& problem);

  // As ReadImageBytes, of files in these archives and of others.
  std::string ReadBytes(const std::filesystem::path& path, const DecodeOptions& options) const;

 private:
  struct Place {
    std::filesystem::path archive;
    std::uint64_t offset, size;
  };
  std::map<std::filesystem::path, std::vector<std::filesystem::path>> archives_;
  std::map<std::filesystem::path, Place> places_;
};

}  // namespace skinmask
