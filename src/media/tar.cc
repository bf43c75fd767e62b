#include "media/tar.h"

#include <algorithm>
#include <vector>

#include "base/stream.h"
#include "media/late_module.h"
#include "skinmask/base/error.h"

namespace skinmask {

namespace fs = std::filesystem;

namespace {

constexpr const char* kTarModule = "skinmask-tar.so";

std::unique_ptr<TarDecoder> MakeDecoder(const TarSource& source) {
  static const auto make = reinterpret_cast<decltype(&skinmask_decode_tar)>(
      FindInModule(kTarModule, "skinmask_decode_tar"));
  std::unique_ptr<TarDecoder> decoder;
  make(source, decoder);
  return decoder;
}

std::unique_ptr<TarEncoder> MakeEncoder(const TarSink& sink) {
  static const auto make = reinterpret_cast<decltype(&skinmask_encode_tar)>(
      FindInModule(kTarModule, "skinmask_encode_tar"));
  std::unique_ptr<TarEncoder> encoder;
  make(sink, encoder);
  return encoder;
}

}  // namespace

bool IsTar(std::string_view bytes) {
  constexpr std::size_t kMagicAt = 257;
  return bytes.size() > kMagicAt && bytes.substr(kMagicAt).starts_with("ustar");
}

bool HasTarExtension(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".tar" || extension == ".TAR";
}

class TarReader::State {
 public:
  explicit State(const fs::path& path)
      : path_(path),
        stream_(path),
        decoder_(MakeDecoder(
            {[this] { return Piece(); }, [this](std::uint64_t count) { return Skip(count); }})) {}

  std::optional<TarEntry> Next() {
    TarEntry entry;
    std::string problem;
    const bool there = decoder_->Next(entry, problem);
    RequireWell(problem);
    if (!there) {
      RequireNothingMore();
      return std::nullopt;
    }
    // A step over data past the end of a file would be no error.
    if (entry.type == TarEntry::Type::kFile && stream_.size() > 0 &&
        (entry.offset > stream_.size() || entry.size > stream_.size() - entry.offset))
      throw Error(path_.string(), "ends too early, in " + entry.name);
    size_ = entry.size;
    return entry;
  }

  std::string Read(const std::function<bool(std::string_view)>& wanted) {
    constexpr std::size_t kHead = 4096;
    std::string bytes, problem;
    std::string_view piece;
    const auto append = [&] {
      piece = decoder_->Data(problem);
      RequireWell(problem);
      bytes += piece;
      return !piece.empty();
    };
    while (bytes.size() < kHead && append()) continue;
    if (!wanted(std::string_view(bytes).substr(0, kHead))) return bytes.substr(0, kHead);
    if (stream_.size() > 0) bytes.reserve(size_);  // the file has so much
    while (append()) continue;
    return bytes;
  }

 private:
  std::string_view Piece() {
    last_ = stream_.ReadSome(piece_.data(), piece_.size());
    given_ += last_;
    return {piece_.data(), last_};
  }
  std::uint64_t Skip(std::uint64_t count) {
    const std::uint64_t skipped = stream_.Skip(count);
    given_ += skipped;
    return skipped;
  }

  void RequireWell(const std::string& problem) const {
    if (problem.empty()) return;
    const std::string_view head(piece_.data(), given_ == last_ ? last_ : 0);
    for (const std::string_view magic : {"\x1F\x8B", "\x28\xB5\x2F\xFD", "\xFD\x37zXZ", "BZh"})
      if (head.starts_with(magic))
        throw Error(path_.string(), "is compressed (archives are read as tar alone makes them)");
    throw Error(path_.string(), problem);
  }

  // Zeros may follow the mark of the end, and nothing else: another archive would be lost.
  void RequireNothingMore() {
    const std::uint64_t unread = given_ - std::min(given_, decoder_->Position());
    std::string_view rest(piece_.data(), last_);
    rest.remove_prefix(last_ - std::min<std::uint64_t>(unread, last_));
    for (; !rest.empty(); rest = Piece())
      if (rest.find_first_not_of('\0') != rest.npos)
        throw Error(path_.string(),
                    "goes on after the mark of its end (joined archives are to be shards apart)");
  }

  const fs::path path_;
  InputStream stream_;
  std::vector<char> piece_ = std::vector<char>(std::size_t{1} << 16);
  std::unique_ptr<TarDecoder> decoder_;
  std::size_t last_ = 0;     // bytes in the piece
  std::uint64_t given_ = 0;  // bytes that the decoder was given, or stepped over
  std::uint64_t size_ = 0;   // of the entry's data
};

TarReader::TarReader(const fs::path& path) : state_(std::make_unique<State>(path)) {}
TarReader::~TarReader() = default;
std::optional<TarEntry> TarReader::Next() { return state_->Next(); }
std::string TarReader::Read(const std::function<bool(std::string_view)>& wanted) {
  return state_->Read(wanted);
}

class TarWriter::State {
 public:
  State(const fs::path& path, Overwrite overwrite)
      : path_(Checked(path, overwrite)),
        overwrite_(overwrite),
        part_(path),
        stream_(path, part_.path()),
        encoder_(MakeEncoder([this](std::string_view bytes) { Write(bytes); })) {}

  void Add(const std::string& name, std::string_view bytes) {
    std::string problem;
    if (!encoder_->Add(name, bytes, problem)) throw Error(path_.string(), problem);
  }

  void Finish() {
    std::string problem;
    if (!encoder_->Finish(problem)) throw Error(path_.string(), problem);
    Flush();
    stream_.Close();
    RequireWritable(path_, overwrite_);  // it took its time
    part_.Rename();
  }

 private:
  static const fs::path& Checked(const fs::path& path, Overwrite overwrite) {
    RequireWritable(path, overwrite);
    return path;
  }
  // Headers and small files are not worth a call to the system each.
  void Write(std::string_view bytes) {
    constexpr std::size_t kMax = std::size_t{1} << 18;
    waiting_ += bytes;
    if (waiting_.size() >= kMax) Flush();
  }
  void Flush() {
    stream_.Write(waiting_);
    waiting_.clear();
  }

  const fs::path path_;
  const Overwrite overwrite_;
  PartFile part_;
  OutputStream stream_;
  std::string waiting_;
  std::unique_ptr<TarEncoder> encoder_;
};

TarWriter::TarWriter(const fs::path& path, Overwrite overwrite)
    : state_(std::make_unique<State>(path, overwrite)) {}
TarWriter::~TarWriter() = default;
void TarWriter::Add(const std::string& name, std::string_view bytes) { state_->Add(name, bytes); }
void TarWriter::Finish() { state_->Finish(); }

}  // namespace skinmask
