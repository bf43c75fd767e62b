// Tar archives, entry by entry, by libarchive.
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/stream.h"
#include "skinmask/base/file.h"

struct archive;  // libarchive's

namespace [[gnu::visibility("default")]] skinmask {

// What a header of an archive says.
struct TarEntry {
  enum class Type { kFile, kLink, kSparse, kFolder, kOther };  // of sparse files it holds pieces
  std::string name;                                            // as it is stored
  Type type = Type::kFile;
  std::uint64_t size = 0;    // of its data
  std::uint64_t offset = 0;  // where they begin in the archive
};

// True for bytes that begin as a tar archive does: POSIX's and GNU's, not those of before 1988.
bool IsTar(std::string_view bytes);

// Reads an archive from a file or a pipe, in its order, in memory that does not grow with it. What
// is compressed is no tar. Its functions throw Error for one that is damaged, or ends without the
// mark of its end.
class TarReader {
 public:
  explicit TarReader(const std::filesystem::path& path);
  ~TarReader();
  TarReader(const TarReader&) = delete;
  TarReader& operator=(const TarReader&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // The next entry; absent at the end.
  std::optional<TarEntry> Next();
  // The data of the entry that Next gave, once. `wanted` is called with the first of them (4096
  // bytes, or all) before memory is taken for the rest; where it says no, these are the result.
  std::string Read(const std::function<bool(std::string_view head)>& wanted);

 private:
  void Open();
  void Require(bool well, const std::string& problem) const;
  std::uint64_t Position() const;
  bool Append(std::string& bytes);
  std::string_view Piece();
  void RequireNothingMore();

  const std::filesystem::path path_;
  InputStream stream_;
  std::vector<char> piece_ = std::vector<char>(std::size_t{1} << 16);
  archive* archive_;
  std::exception_ptr thrown_;  // by a callback, for after libarchive, which is C
  bool open_ = false;
  std::size_t last_ = 0;     // bytes in the piece
  std::uint64_t given_ = 0;  // bytes that libarchive was given, or stepped over
  std::uint64_t size_ = 0;   // of the entry's data
  std::uint64_t end_ = 0;    // of them in the archive
};

// Writes an archive to a file, which appears whole or not at all, or to a pipe as it comes. Entries
// belong to nobody (user 0), are of 1970, and may be read by all: equal entries make equal bytes.
class TarWriter {
 public:
  // Throws Error where there is no room for it (RequireWritable).
  TarWriter(const std::filesystem::path& path, IfExists if_exists);
  // One that is not finished lacks the mark of its end.
  ~TarWriter();
  TarWriter(const TarWriter&) = delete;
  TarWriter& operator=(const TarWriter&) = delete;

  void Add(const std::string& name, std::string_view bytes);
  // What has been added so far is written: to a pipe, where no more comes.
  void Flush();
  // Ends it and puts it in its place.
  void Finish();

 private:
  void Require(bool well, const std::string& problem) const;

  const std::filesystem::path path_;
  const IfExists if_exists_;
  UnfinishedFile unfinished_;
  OutputStream stream_;
  std::string waiting_;  // headers and small files are not worth a call to the system each
  archive* archive_;
  std::exception_ptr thrown_;  // as in TarReader
  bool finished_ = false, given_up_ = false;
};

}  // namespace skinmask
