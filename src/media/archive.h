// Tar archives of images, in the way of WebDataset: files that have all but their extension in
// common are one sample.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "media/tar.h"
#include "skinmask/base/problem.h"
#include "skinmask/media/image.h"
#include "skinmask/media/inputs.h"

namespace [[gnu::visibility("default")]] skinmask {

// A file, or a link, of an archive.
struct ArchivedFile {
  std::string name;       // its path in the archive, without "./"
  std::string key;        // the path up to the first dot of the file's name
  std::string extension;  // what follows that dot
  TarEntry entry;
};

// Why the data of an entry are not to be had; empty where they are.
std::string WhyNotRead(const TarEntry& entry);

// The next file of an archive, in its order; folders and devices are left out. Throws Error for an
// archive that is damaged, and for one with an entry whose path leads out of it.
std::optional<ArchivedFile> NextFile(TarReader& archive);

// True for an archive by its name, and for a folder that holds one.
bool HoldsArchives(const std::filesystem::path& path);

// Archives as folders of files, to be read in any order: "a.tar/sub/1.jpg". Reading is safe from
// many threads.
class Archives {
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

// The files below a folder as ListInputs finds them. An archive is a folder of its files: those in
// the folder, and the folder itself may be one. They are opened in `archives`, which then reads the
// files that are listed.
InputList ListFolder(const std::filesystem::path& folder, const ListOptions& options,
                     Archives& archives);

}  // namespace skinmask
