// The module skinmask-tar.
#include <archive.h>
#include <archive_entry.h>

#include <cerrno>
#include <exception>

#include "media/tar_codec.h"

namespace {

using skinmask::TarEntry;

constexpr std::uint64_t kBlock = 512;

// libarchive is C: what a callback throws waits here until its function has returned.
class Thrown {
 public:
  template <class Call>
  bool Catches(const Call& call) {
    try {
      call();
      return false;
    } catch (...) {
      thrown_ = std::current_exception();
      return true;
    }
  }
  void Rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  std::exception_ptr thrown_;
};

// libarchive's own words, which name no file.
std::string TextOf(archive* from) {
  const char* const text = archive_error_string(from);
  return text ? text : "no reason is known";
}

TarEntry::Type TypeOf(archive_entry* entry) {
  if (archive_entry_hardlink(entry) || archive_entry_filetype(entry) == AE_IFLNK)
    return TarEntry::Type::kLink;
  if (archive_entry_filetype(entry) == AE_IFDIR) return TarEntry::Type::kFolder;
  if (archive_entry_filetype(entry) != AE_IFREG) return TarEntry::Type::kOther;
  return archive_entry_sparse_count(entry) == 0 ? TarEntry::Type::kFile : TarEntry::Type::kSparse;
}

class Decoder : public skinmask::TarDecoder {
 public:
  explicit Decoder(const skinmask::TarSource& source)
      : source_(source), archive_(archive_read_new()) {
    archive_read_support_format_tar(archive_);  // and no filter: what is compressed is no tar
  }
  ~Decoder() override { archive_read_free(archive_); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  bool Next(TarEntry& entry, std::string& problem) override {
    if (!open_ && !Open(problem)) return false;
    archive_entry* header = nullptr;
    const int status = archive_read_next_header(archive_, &header);
    thrown_.Rethrow();
    if (status == ARCHIVE_EOF) {
      if (Position() <= end_) problem = "ends too early: the mark of its end is missing";
      return false;
    }
    if (status < ARCHIVE_WARN) {
      problem = "is no tar archive, or one that is damaged or ends too early: " + TextOf(archive_);
      return false;
    }
    const char* name = archive_entry_pathname(header);
    if (!name) name = archive_entry_pathname_utf8(header);  // the C locale knows only ASCII
    entry.name = name ? name : "";
    entry.type = TypeOf(header);
    const bool has_data = !archive_entry_hardlink(header) && archive_entry_size(header) > 0;
    entry.size = has_data ? static_cast<std::uint64_t>(archive_entry_size(header)) : 0;
    entry.offset = Position();
    const bool whole = entry.type != TarEntry::Type::kSparse;  // else its pieces are less
    end_ = entry.offset + (whole ? (entry.size + kBlock - 1) / kBlock * kBlock : 0);
    return true;
  }

  std::string_view Data(std::string& problem) override {
    const void* bytes = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int status = archive_read_data_block(archive_, &bytes, &size, &offset);
    thrown_.Rethrow();
    if (status < ARCHIVE_WARN) problem = "is damaged, or ends too early: " + TextOf(archive_);
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN) return {};
    return {static_cast<const char*>(bytes), size};
  }

  std::uint64_t Position() const override {
    return static_cast<std::uint64_t>(archive_filter_bytes(archive_, 0));
  }

 private:
  bool Open(std::string& problem) {
    open_ = true;
    const int status = archive_read_open2(archive_, this, nullptr, Read, Skip, nullptr);
    thrown_.Rethrow();
    if (status < ARCHIVE_WARN) problem = "is no tar archive: " + TextOf(archive_);
    return status >= ARCHIVE_WARN;
  }

  static la_ssize_t Read(archive* failed, void* self, const void** bytes) {
    auto* const decoder = static_cast<Decoder*>(self);
    std::string_view piece;
    if (decoder->thrown_.Catches([&] { piece = decoder->source_.read(); })) {
      archive_set_error(failed, EIO, "it cannot be read");
      return ARCHIVE_FATAL;
    }
    *bytes = piece.data();
    return static_cast<la_ssize_t>(piece.size());
  }

  static la_int64_t Skip(archive*, void* self, la_int64_t count) {
    auto* const decoder = static_cast<Decoder*>(self);
    std::uint64_t skipped = 0;
    if (decoder->thrown_.Catches(
            [&] { skipped = decoder->source_.skip(static_cast<std::uint64_t>(count)); }))
      return ARCHIVE_FATAL;
    return static_cast<la_int64_t>(skipped);
  }

  const skinmask::TarSource source_;
  archive* const archive_;
  Thrown thrown_;
  bool open_ = false;
  std::uint64_t end_ = 0;  // of the data of the last entry
};

class Encoder : public skinmask::TarEncoder {
 public:
  explicit Encoder(const skinmask::TarSink& sink) : sink_(sink), archive_(archive_write_new()) {
    // GNU's form takes names of any length and bytes as they are. (pax would convert them, which
    // depends on the locale.)
    archive_write_set_format_gnutar(archive_);
    archive_write_set_bytes_per_block(archive_, 0);
    archive_write_open2(archive_, this, nullptr, Write, nullptr, nullptr);
  }
  // An archive that is given up has no mark of its end. (libarchive would write it, or, told that
  // it failed, not free its buffer.)
  ~Encoder() override {
    given_up_ = !finished_;
    archive_write_free(archive_);
  }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  bool Add(const std::string& name, std::string_view bytes, std::string& problem) override {
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_size(entry, static_cast<la_int64_t>(bytes.size()));
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    const bool begun = archive_write_header(archive_, entry) >= ARCHIVE_WARN;
    archive_entry_free(entry);
    thrown_.Rethrow();
    const bool written = begun && archive_write_data(archive_, bytes.data(), bytes.size()) ==
                                      static_cast<la_ssize_t>(bytes.size());
    thrown_.Rethrow();
    if (!written) problem = "cannot hold " + name + ": " + TextOf(archive_);
    return written;
  }

  bool Finish(std::string& problem) override {
    const bool closed = archive_write_close(archive_) >= ARCHIVE_WARN;
    finished_ = closed;
    thrown_.Rethrow();
    if (!closed) problem = "cannot be ended: " + TextOf(archive_);
    return closed;
  }

 private:
  static la_ssize_t Write(archive* failed, void* self, const void* bytes, std::size_t size) {
    auto* const encoder = static_cast<Encoder*>(self);
    if (encoder->given_up_) return static_cast<la_ssize_t>(size);
    if (encoder->thrown_.Catches([&] {
          encoder->sink_({static_cast<const char*>(bytes), size});
        })) {
      archive_set_error(failed, EIO, "it cannot be written");
      return ARCHIVE_FATAL;
    }
    return static_cast<la_ssize_t>(size);
  }

  const skinmask::TarSink sink_;
  archive* const archive_;
  Thrown thrown_;
  bool finished_ = false, given_up_ = false;
};

}  // namespace

void skinmask_decode_tar(const skinmask::TarSource& source,
                         std::unique_ptr<skinmask::TarDecoder>& decoder) {
  decoder = std::make_unique<Decoder>(source);
}

void skinmask_encode_tar(const skinmask::TarSink& sink,
                         std::unique_ptr<skinmask::TarEncoder>& encoder) {
  encoder = std::make_unique<Encoder>(sink);
}
