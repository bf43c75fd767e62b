#include "media/tar.h"

#include <algorithm>
#include <cerrno>

#include "media/file_bytes.h"
#include "media/late_module.h"
#include "media/tar_module.h"
#include "skinmask/base/error.h"

namespace skinmask {

namespace fs = std::filesystem;

namespace {

const LibArchive& Lib() {
  static const LibArchive functions = [] {
    LibArchive found;
    FindInModule<decltype(skinmask_libarchive)>("skinmask-tar.so", "skinmask_libarchive")(found);
    return found;
  }();
  return functions;
}

// libarchive's message, which does not name the file.
std::string TextOf(archive* from) {
  const char* const text = Lib().archive_error_string(from);
  return text ? text : "no reason is known";
}

// True also for the end and for warnings. ARCHIVE_RETRY, which follows a header with a wrong
// checksum, is an error: a retry would read each block of the data as a header.
bool IsWell(int status) { return status >= ARCHIVE_WARN && status != ARCHIVE_RETRY; }

// Calls `call` and stores its exception. True if `thrown` holds an exception, of this call or an
// earlier one.
template <class Call>
bool Throws(std::exception_ptr& thrown, const Call& call) {
  try {
    call();
  } catch (...) {
    thrown = std::current_exception();
  }
  return thrown != nullptr;
}

TarEntry::Type TypeOf(archive_entry* entry) {
  const auto type = Lib().archive_entry_filetype(entry);
  if (Lib().archive_entry_hardlink(entry) || type == AE_IFLNK) return TarEntry::Type::kLink;
  if (type == AE_IFDIR) return TarEntry::Type::kFolder;
  if (type != AE_IFREG) return TarEntry::Type::kOther;
  return Lib().archive_entry_sparse_count(entry) == 0 ? TarEntry::Type::kFile
                                                      : TarEntry::Type::kSparse;
}

TarEntry EntryOf(archive_entry* header, std::uint64_t offset) {
  const char* name = Lib().archive_entry_pathname(header);
  if (!name) name = Lib().archive_entry_pathname_utf8(header);  // the C locale has only ASCII
  const auto size = Lib().archive_entry_size(header);
  const bool has_data = !Lib().archive_entry_hardlink(header) && size > 0;
  return {name ? name : "", TypeOf(header), has_data ? static_cast<std::uint64_t>(size) : 0,
          offset};
}

}  // namespace

bool IsTar(std::string_view bytes) {
  constexpr std::size_t kMagicAt = 257;
  return bytes.size() > kMagicAt && bytes.substr(kMagicAt).starts_with("ustar");
}

TarReader::TarReader(const fs::path& path)
    : path_(path), stream_(path), archive_(Lib().archive_read_new()) {
  // No filters, because compressed archives are refused.
  Lib().archive_read_support_format_tar(archive_);
}

TarReader::~TarReader() { Lib().archive_read_free(archive_); }

void TarReader::Open() {
  open_ = true;
  const auto read = [](archive* failed, void* self, const void** bytes) -> la_ssize_t {
    auto* const reader = static_cast<TarReader*>(self);
    std::string_view piece;
    if (Throws(reader->thrown_, [&] { piece = reader->Piece(); })) {
      Lib().archive_set_error(failed, EIO, "it cannot be read");
      return ARCHIVE_FATAL;
    }
    *bytes = piece.data();
    return static_cast<la_ssize_t>(piece.size());
  };
  const auto skip = [](archive*, void* self, la_int64_t count) -> la_int64_t {
    auto* const reader = static_cast<TarReader*>(self);
    std::uint64_t skipped = 0;
    const auto step = [&] { skipped = reader->stream_.Skip(static_cast<std::uint64_t>(count)); };
    if (Throws(reader->thrown_, step)) return ARCHIVE_FATAL;
    reader->given_ += skipped;
    return static_cast<la_int64_t>(skipped);
  };
  const int status = Lib().archive_read_open2(archive_, this, nullptr, read, skip, nullptr);
  Require(IsWell(status), "is no tar archive: ");
}

// Rethrows the exception of a callback. Otherwise, if `well` is false, throws the problem with
// libarchive's message.
void TarReader::Require(bool well, const std::string& problem) const {
  if (thrown_) std::rethrow_exception(thrown_);
  if (well) return;
  const std::string_view head(piece_.data(), given_ == last_ ? last_ : 0);
  if (IsCompressed(head))
    throw Error(path_.string(), "is compressed (archives are read as tar alone makes them)");
  throw Error(path_.string(), problem.ends_with(' ') ? problem + TextOf(archive_) : problem);
}

std::uint64_t TarReader::Position() const {
  return static_cast<std::uint64_t>(Lib().archive_filter_bytes(archive_, 0));
}

std::optional<TarEntry> TarReader::Next() {
  constexpr std::uint64_t kBlock = 512;
  if (!open_) Open();
  archive_entry* header = nullptr;
  const int status = Lib().archive_read_next_header(archive_, &header);
  Require(IsWell(status), "is no tar archive, or one that is damaged or ends too early: ");
  if (status == ARCHIVE_EOF) {
    Require(Position() > end_, "ends too early: the mark of its end is missing");
    RequireNothingMore();
    return std::nullopt;
  }
  TarEntry entry = EntryOf(header, Position());
  // Skipping data past the end of a file would not be an error.
  if (entry.type == TarEntry::Type::kFile && stream_.size() > 0 &&
      (entry.offset > stream_.size() || entry.size > stream_.size() - entry.offset))
    throw Error(path_.string(), "ends too early, in " + entry.name);
  const bool whole = entry.type != TarEntry::Type::kSparse;  // the stored pieces are smaller
  size_ = entry.size;
  end_ = entry.offset + (whole ? (entry.size + kBlock - 1) / kBlock * kBlock : 0);
  return entry;
}

// Appends a piece of the entry's data; returns false at the end.
bool TarReader::Append(std::string& bytes) {
  const void* piece = nullptr;
  std::size_t size = 0;
  la_int64_t offset = 0;
  const int status = Lib().archive_read_data_block(archive_, &piece, &size, &offset);
  Require(IsWell(status), "is damaged, or ends too early: ");
  if (status == ARCHIVE_EOF) return false;
  bytes.append(static_cast<const char*>(piece), size);
  return size > 0;
}

std::string TarReader::Read(const std::function<bool(std::string_view)>& wanted) {
  constexpr std::size_t kHead = 4096;
  std::string bytes;
  while (bytes.size() < kHead && Append(bytes)) continue;
  if (!wanted(std::string_view(bytes).substr(0, kHead))) return bytes.substr(0, kHead);
  if (stream_.size() > 0) bytes.reserve(size_);  // the file was checked to have that much
  while (Append(bytes)) continue;
  return bytes;
}

std::string_view TarReader::Piece() {
  last_ = stream_.ReadSome(piece_.data(), piece_.size());
  given_ += last_;
  return {piece_.data(), last_};
}

// Only zeros may follow the mark of the end: otherwise a second, joined archive would be ignored.
void TarReader::RequireNothingMore() {
  const std::uint64_t unread = given_ - std::min(given_, Position());
  std::string_view rest(piece_.data(), last_);
  rest.remove_prefix(last_ - std::min<std::uint64_t>(unread, last_));
  for (; !rest.empty(); rest = Piece())
    if (rest.find_first_not_of('\0') != rest.npos)
      throw Error(path_.string(),
                  "goes on after the mark of its end (joined archives are to be shards apart)");
}

TarWriter::TarWriter(const fs::path& path, IfExists if_exists)
    : path_(RequireWritable(path, if_exists)),
      if_exists_(if_exists),
      unfinished_(path),
      stream_(path, unfinished_.path()),
      archive_(Lib().archive_write_new()) {
  // The GNU format stores names of any length and any bytes unchanged. (pax would convert them,
  // depending on the locale.)
  Lib().archive_write_set_format_gnutar(archive_);
  Lib().archive_write_set_bytes_per_block(archive_, 0);
  const auto write = [](archive* failed, void* self, const void* bytes,
                        std::size_t size) -> la_ssize_t {
    auto* const writer = static_cast<TarWriter*>(self);
    const auto add = [&] {
      constexpr std::size_t kMaxWaiting = std::size_t{1} << 18;
      writer->waiting_.append(static_cast<const char*>(bytes), size);
      if (writer->waiting_.size() >= kMaxWaiting) writer->Flush();
    };
    if (writer->given_up_ || !Throws(writer->thrown_, add)) return static_cast<la_ssize_t>(size);
    Lib().archive_set_error(failed, EIO, "it cannot be written");
    return ARCHIVE_FATAL;
  };
  Lib().archive_write_open2(archive_, this, nullptr, write, nullptr, nullptr);
}

// Without Finish, the write callback drops what libarchive still writes, which would be the mark of
// the end. It must not report an error, or libarchive would not free its buffer.
TarWriter::~TarWriter() {
  given_up_ = !finished_;
  Lib().archive_write_free(archive_);
}

void TarWriter::Require(bool well, const std::string& problem) const {
  if (thrown_) std::rethrow_exception(thrown_);
  if (!well) throw Error(path_.string(), problem + TextOf(archive_));
}

void TarWriter::Flush() {
  stream_.Write(waiting_);
  waiting_.clear();
}

void TarWriter::Add(const std::string& name, std::string_view bytes) {
  archive_entry* const entry = Lib().archive_entry_new();
  Lib().archive_entry_set_pathname(entry, name.c_str());
  Lib().archive_entry_set_size(entry, static_cast<la_int64_t>(bytes.size()));
  Lib().archive_entry_set_filetype(entry, AE_IFREG);
  Lib().archive_entry_set_perm(entry, 0644);
  const bool begun = IsWell(Lib().archive_write_header(archive_, entry));
  Lib().archive_entry_free(entry);
  Require(begun && Lib().archive_write_data(archive_, bytes.data(), bytes.size()) ==
                       static_cast<la_ssize_t>(bytes.size()),
          "cannot hold " + name + ": ");
}

void TarWriter::Finish() {
  finished_ = IsWell(Lib().archive_write_close(archive_));
  Require(finished_, "cannot be ended: ");
  Flush();
  stream_.Close();
  unfinished_.Rename(if_exists_);
}

}  // namespace skinmask
