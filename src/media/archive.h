// Tar archives of images as WebDataset uses them: files whose paths differ only in their extension
// form one sample.
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

// A file or a link in an archive.
struct ArchivedFile {
  std::string name;       // its path in the archive, without "./"
  std::string key;        // the path up to the first dot of the file's name
  std::string extension;  // what follows that dot
  TarEntry entry;
};

// The reason why the data of an entry cannot be read; empty if they can be.
std::string WhyNotRead(const TarEntry& entry);

// Returns the next file or link of an archive, in the order of the archive; absent at the end.
// Folders and devices are skipped. Throws Error if the archive is damaged, or if the path of an
// entry leads out of it.
std::optional<ArchivedFile> NextFile(TarReader& archive);

// True if the path has the name of an archive, or is a folder that contains one.
bool HoldsArchives(const std::filesystem::path& path);

// Presents archives as folders whose files can be read in any order: "a.tar/sub/1.jpg". Several
// threads may call ReadBytes at the same time.
class Archives {
 public:
  // Returns the sorted paths of the files of an archive, relative to it. The first call for an
  // archive reads its headers. Images that are links or sparse are reported to `problem`. The first
  // call throws Error if the archive is damaged or is not a file, and if two of its files have the
  // same name; a damaged archive then counts as empty.
  const std::vector<std::filesystem::path>& Open(const std::filesystem::path& archive,
                                                 const ProblemSink& problem);

  // Like ReadImageBytes, for files in the opened archives and for other files.
  std::string ReadBytes(const std::filesystem::path& path, const DecodeOptions& options) const;

 private:
  struct Place {
    std::filesystem::path archive;
    std::uint64_t offset, size;
  };
  std::map<std::filesystem::path, std::vector<std::filesystem::path>> archives_;
  std::map<std::filesystem::path, Place> places_;
};

// Lists the files below a folder as ListInputs does, but treats an archive as a folder of its
// files. The folder may contain archives or be one itself. They are opened in `archives`, which can
// then read the listed files.
InputList ListFolder(const std::filesystem::path& folder, const ListOptions& options,
                     Archives& archives);

}  // namespace skinmask
