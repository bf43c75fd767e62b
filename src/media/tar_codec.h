// Between this library and the module skinmask-tar, which has libarchive: that pulls in a dozen
// libraries and is loaded when the first archive comes. Problems are texts, as they are in modules
// (they link nothing of ours).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace skinmask {

// What a header of a tar archive says.
struct TarEntry {
  enum class Type { kFile, kLink, kSparse, kFolder, kOther };  // of sparse files it holds pieces
  std::string name;                                            // as it is stored
  Type type = Type::kFile;
  std::uint64_t size = 0;    // of its data
  std::uint64_t offset = 0;  // where they begin in the archive
};

// Where an archive comes from. Both may throw; what they throw comes out of the decoder's function.
struct TarSource {
  std::function<std::string_view()> read;            // some bytes, or none at the end
  std::function<std::uint64_t(std::uint64_t)> skip;  // goes on by so many bytes; returns how many
};

class TarDecoder {
 public:
  virtual ~TarDecoder() = default;
  // The next entry; false at the end of the archive, and where there is a problem.
  virtual bool Next(TarEntry& entry, std::string& problem) = 0;
  // Some bytes of its data; none at their end, and where there is a problem.
  virtual std::string_view Data(std::string& problem) = 0;
  // How far it has come in the archive, in bytes.
  virtual std::uint64_t Position() const = 0;
};

class TarEncoder {
 public:
  virtual ~TarEncoder() = default;
  // Both give what is to be written to the sink, in pieces. False where there is a problem.
  virtual bool Add(const std::string& name, std::string_view bytes, std::string& problem) = 0;
  virtual bool Finish(std::string& problem) = 0;
};

using TarSink = std::function<void(std::string_view)>;

}  // namespace skinmask

// What the module has.
extern "C" void skinmask_decode_tar(const skinmask::TarSource& source,
                                    std::unique_ptr<skinmask::TarDecoder>& decoder);
extern "C" void skinmask_encode_tar(const skinmask::TarSink& sink,
                                    std::unique_ptr<skinmask::TarEncoder>& encoder);
