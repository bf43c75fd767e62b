// Reads and writes tar archives entry by entry, by libarchive.
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

// The content of an entry's header.
struct TarEntry {
  enum class Type { kFile, kLink, kSparse, kFolder, kOther };  // kSparse: stored in pieces
  std::string name;                                            // as stored
  Type type = Type::kFile;
  std::uint64_t size = 0;    // of its data
  std::uint64_t offset = 0;  // offset of the data in the archive
};

// True for the first bytes of a POSIX or GNU tar archive (not of formats before 1988).
bool IsTar(std::string_view bytes);

// Reads an archive sequentially from a file or a pipe, in bounded memory. Compressed archives are
// refused. The functions throw Error for an archive that is damaged or lacks the mark of its end.
class TarReader {
 public:
  explicit TarReader(const std::filesystem::path& path);
  ~TarReader();
  TarReader(const TarReader&) = delete;
  TarReader& operator=(const TarReader&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // The next entry; absent at the end.
  std::optional<TarEntry> Next();
  // Returns the data of the entry of the last Next; may be called once. `wanted` is called with the
  // first 4096 bytes (or all of fewer) before memory is allocated for the rest. If it returns
  // false, only these bytes are returned.
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
  std::exception_ptr thrown_;  // of a callback; rethrown after the call of libarchive, which is C
  bool open_ = false;
  std::size_t last_ = 0;     // number of bytes in piece_
  std::uint64_t given_ = 0;  // number of bytes that libarchive read or skipped
  std::uint64_t size_ = 0;   // size of the entry's data
  std::uint64_t end_ = 0;    // end of these data in the archive
};

// Writes an archive to a file, which is complete or absent, or to a pipe, piece by piece. Entries
// have user 0, a time of 1970 and mode 0644, so equal entries give equal bytes.
class TarWriter {
 public:
  // Throws Error if `path` cannot be written (see RequireWritable).
  TarWriter(const std::filesystem::path& path, IfExists if_exists);
  // An archive without Finish has no mark of its end.
  ~TarWriter();
  TarWriter(const TarWriter&) = delete;
  TarWriter& operator=(const TarWriter&) = delete;

  void Add(const std::string& name, std::string_view bytes);
  // Writes everything added so far; for a pipe, in which it counts as done then.
  void Flush();
  // Writes the mark of the end and renames the file.
  void Finish();

 private:
  void Require(bool well, const std::string& problem) const;

  const std::filesystem::path path_;
  const IfExists if_exists_;
  UnfinishedFile unfinished_;
  OutputStream stream_;
  std::string waiting_;  // a buffer, because headers and small files are not worth a system call
  archive* archive_;
  std::exception_ptr thrown_;  // as in TarReader
  bool finished_ = false, given_up_ = false;
};

}  // namespace skinmask
