// Tar archives, entry by entry, by libarchive.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "media/tar_codec.h"
#include "skinmask/base/file.h"

namespace [[gnu::visibility("default")]] skinmask {

// True for bytes that begin as a tar archive does: POSIX's and GNU's, not those of before 1988.
bool IsTar(std::string_view bytes);
// By its name: .tar.
bool HasTarExtension(const std::filesystem::path& path);

// Reads an archive from a file or a pipe, in its order, in memory that does not grow with it. What
// is compressed is no tar. Its functions throw Error for one that is damaged, or ends without the
// mark of its end.
class TarReader {
 public:
  explicit TarReader(const std::filesystem::path& path);
  ~TarReader();

  // The next entry; absent at the end.
  std::optional<TarEntry> Next();
  // The data of the entry that Next gave, once. `wanted` is called with the first of them (4096
  // bytes, or all) before memory is taken for the rest; where it says no, these are the result.
  std::string Read(const std::function<bool(std::string_view head)>& wanted);

 private:
  class State;
  std::unique_ptr<State> state_;
};

// Writes an archive to a file, which appears whole or not at all, or to a pipe as it comes. Entries
// belong to nobody (user 0), are of 1970, and may be read by all: equal entries make equal bytes.
class TarWriter {
 public:
  // Throws Error where there is no room for it (RequireWritable).
  TarWriter(const std::filesystem::path& path, Overwrite overwrite);
  ~TarWriter();

  void Add(const std::string& name, std::string_view bytes);
  // Ends it and puts it in its place.
  void Finish();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace skinmask
